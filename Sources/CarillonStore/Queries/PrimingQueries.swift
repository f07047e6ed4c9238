import CarillonModel
import CarillonPostgres

extension Query where Answer == PrimingFacts {
  /// Empty facts of a device of which nothing is known.
  static func primingFacts(tenant: TenantID, device: DeviceID) -> Query {
    Query(.devicePrimingGet) { parameters in
      parameters.tenant(tenant)
      parameters.device(device)
    } read: { rows in
      var facts = PrimingFacts()
      guard rows.count == 1 else { return facts }
      facts.primerShownAt = rows.optional(0, 0, Rows.instant)
      facts.acceptedAt = rows.optional(0, 1, Rows.instant)
      facts.postponedAt = rows.optional(0, 2, Rows.instant)
      facts.postpones = rows.version(0, 3)
      facts.screenAnswer = rows.optional(0, 4, Rows.text).flatMap(PrimingFacts.ScreenAnswer.init)
      facts.dialogShownAt = rows.optional(0, 5, Rows.instant)
      facts.systemAnswer = rows.optional(0, 6, Rows.text).flatMap(PrimingFacts.SystemAnswer.init)
      facts.systemAnsweredAt = rows.optional(0, 7, Rows.instant)
      facts.taps = rows.version(0, 8)
      facts.tappedAt = rows.optional(0, 9, Rows.instant)
      return facts
    }
  }
}

extension Query where Answer == [StoredPrimingStep] {
  static func primingSteps(tenant: TenantID, device: DeviceID, limit: Int) -> Query {
    .list(.devicePrimingSteps) { parameters in
      parameters.tenant(tenant)
      parameters.device(device)
      parameters.count(limit)
    } row: { rows, row in
      StoredPrimingStep(
        at: rows.instant(row, 0),
        answered: AnsweredPriming(
          question: PrimingQuestion(
            action: rows.optional(row, 1, Rows.text), context: rows.optional(row, 2, Rows.text)),
          step: PrimingStep(rawValue: rows.text(row, 3)) ?? PrimingStep.none,
          reason: PrimingReason(rawValue: rows.text(row, 4))))
    }
  }
}

extension Query where Answer == Bool {
  static func answerPriming(
    _ answered: AnsweredPriming, expected: Int64, tenant: TenantID, device: DeviceID,
    keeping: AnswerDraft?, now: Instant
  ) -> Query {
    Query(keeping == nil ? .devicePrimingAnswer : .devicePrimingAnswerOnce) { parameters in
      parameters.tenant(tenant)
      parameters.device(device)
      parameters.instant(now)
      parameters.int8(expected)
      parameters.jsonb(PrimingChange(answered: answered).document)
      if let keeping { parameters.draft(keeping, hasTail: false) }
    } read: {
      $0.bool(0, 0)
    }
  }
}

extension Query where Answer == Set<String> {
  /// Those of `ids` that the device has told before.
  static func knownEvents(tenant: TenantID, device: DeviceID, ids: [String]) -> Query {
    Query(.deviceEventsKnown) { parameters in
      parameters.tenant(tenant)
      parameters.device(device)
      parameters.textArray(ids)
    } read: { rows in
      var known: Set<String> = []
      for row in 0..<rows.count { known.insert(rows.text(row, 0)) }
      return known
    }
  }
}
