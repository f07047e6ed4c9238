import CarillonModel

extension CompiledPolicy.Storage {
  /// The effective priority of a type with all that made it so.
  func priorityReason(ofType index: Int, _ input: PlanInput) -> Explanation.PriorityReason {
    let type = types[index]
    let effective = Int(effectivePriorities(input.engagement)[index])
    var reasons = [Explanation.Reason("type", "The type '\(type.name)' has priority \(type.priority).")]
    switch adaptation(ofType: index, input.engagement) {
    case .none: break
    case .userSet:
      reasons.append(Explanation.Reason("userSet", "Priority 0 is set by the user and never shifts."))
    case .tooFewSamples(let delivered, let wanted):
      reasons.append(
        Explanation.Reason(
          "tooFewSamples",
          "\(Int(delivered)) deliveries are too few to adapt by; \(wanted) are wanted."))
    case .shifted(let rate, let common, let priority):
      let change =
        priority == type.priority
        ? "which is no reason to shift" : "which makes it \(priority) instead of \(type.priority)"
      reasons.append(
        Explanation.Reason(
          "tapRate",
          "Its smoothed tap rate is \(percent(rate)), that of all types \(percent(common)), \(change)."))
    }
    if let rule = policy.fatigue, input.recoversAt != nil, effective >= rule.minPriority {
      reasons.append(
        Explanation.Reason(
          "fatigued", "The device is tired of notifications: caps allow this type \(percent(rule.capScale)).")
      )
    }
    return Explanation.PriorityReason(effective: effective, base: type.priority, reasons: reasons)
  }

  private func percent(_ share: Double) -> String {
    let tenths = Int((share * 1000).rounded())
    return tenths % 10 == 0 ? "\(tenths / 10) %" : "\(tenths / 10).\(tenths % 10) %"
  }
}

extension Explanation {
  /// All of it for people.
  var sentence: String {
    switch state {
    case .held: heldSentence
    case .queued: queuedSentence
    case .withheld: withheldSentence
    case .expired:
      notification == id
        ? "Its time\(requestedAt.map { ", \($0.text)," } ?? "") has passed, or it was delivered: nothing is left to hold."
        : "It is over."
    case .rejected: "It cannot be planned as it is: \(reason ?? "it was refused"). Put it again, corrected."
    case .unknown: "The queue of this device has no such notification."
    }
  }

  private var heldSentence: String {
    var text = "It is held"
    switch slot {
    case .reserve: text += " in a slot reserved for its type"
    case .location: text += " in a location slot"
    case .rank, nil: break
    }
    if let rank { text += ", number \(rank) in the order" }
    text += moved + "."
    if let runnerUp {
      text += " If it left, '\(runnerUp.id.text)' would get its slot."
    } else if slots.queued == 0 {
      text += " Nothing waits for a slot."
    }
    return text
  }

  private var queuedSentence: String {
    if let digest {
      return "'\(digest.text)' stands for it and for others of its group at the end of quiet hours."
    }
    var text: String
    if reason == QueuedRequest.Reason.typeLimit.rawValue {
      text = "It waits: the type '\(type?.name ?? tookSlot?.type ?? "")' has all the slots its limit allows"
    } else {
      text = "It waits: all \(slots.capacity) slots are taken"
    }
    text += tookSlot.map { ", the last by '\($0.id.text)'" } ?? ""
    if let waitingBefore, waitingBefore > 0 {
      text += ", and \(waitingBefore) \(waitingBefore == 1 ? "other comes" : "others come") first"
    }
    return text + "."
  }

  private var withheldSentence: String {
    switch reason.flatMap({ WithheldRequest.Reason(rawValue: $0) }) {
    case .denied: "The user has denied notifications: nothing can be held until that changes in Settings."
    case .notDetermined: "The user has not been asked yet: nothing can be held before."
    case .unknownStatus:
      "The device reports an authorization status this server does not know, and holds nothing."
    case .unreachable: "With the device's settings nobody would notice it, so it does not take a slot."
    case .capped: "A frequency cap leaves it no place."
    case .quietHours: "It falls into quiet hours, and its type does not wait for their end."
    case nil: "It is withheld."
    }
  }

  private var moved: String {
    guard let last = moves.last else { return "" }
    var rules: [String] = []
    for move in moves where !rules.contains(move.by) { rules.append(move.by) }
    return ", moved to \(last.to.text) by \(rules.joined(separator: " and "))"
  }
}
