import CarillonModel
import CarillonPostgres

extension Query where Answer == PrimingFacts {
  /// Empty facts of a device of which nothing is known.
  static func primingFacts(tenant: TenantID, device: DeviceID) -> Query {
    Query(.devicePrimingGet) { parameters in
      parameters.tenant(tenant)
      parameters.device(device)
    } read: { rows in
      rows.count == 1 ? PrimingFacts(rows, 0) : PrimingFacts()
    }
  }
}

extension PrimingFacts {
  /// - Parameter first: where its columns begin.
  init(_ rows: Rows, _ row: Int, from first: Int = 0) {
    self.init()
    primerShownAt = rows.optional(row, first, Rows.instant)
    acceptedAt = rows.optional(row, first + 1, Rows.instant)
    postponedAt = rows.optional(row, first + 2, Rows.instant)
    postpones = rows.version(row, first + 3)
    screenAnswer = rows.optional(row, first + 4, Rows.text).flatMap(PrimingFacts.ScreenAnswer.init)
    dialogShownAt = rows.optional(row, first + 5, Rows.instant)
    systemAnswer = rows.optional(row, first + 6, Rows.text).flatMap(PrimingFacts.SystemAnswer.init)
    systemAnsweredAt = rows.optional(row, first + 7, Rows.instant)
    taps = rows.version(row, first + 8)
    tappedAt = rows.optional(row, first + 9, Rows.instant)
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
