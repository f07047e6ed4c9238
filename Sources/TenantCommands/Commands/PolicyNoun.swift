import CarillonJSON
import CarillonModel
import CarillonOptions
import CarillonStore

/// `tenantctl policy`.
enum PolicyNoun {
  static let noun = Noun<CommandAction>(
    "policy", "Policies of tenants.", verbs: [get, set, versions, PolicyPreviewCommand.preview])

  private static let version = Option<Int?>.integer(
    "version", value: "N", in: 1...Int.max, "An older version; the current one when absent."
  ).commandLineOnly()
  private static let ifVersion = Option<Int?>.integer(
    "if-version", value: "N", in: 1...Int.max,
    "Only if N is still the current version: nobody's change is lost unseen."
  ).commandLineOnly()
  private static let file = Argument.required("FILE", "The policy, a JSON document; - is standard input.")

  private static let get = Command<CommandAction>(
    "get", "Shows the policy of a tenant.",
    discussion: "With -o json it prints the document byte for byte as it was put, fit for 'policy set'.",
    options: [version], arguments: [CommonOptions.tenant],
    examples: ["tenantctl policy get acme", "tenantctl policy get acme -o json > policy.json"]
  ) { context in
    let name = context.values[CommonOptions.tenant]
    let number = context.values[version]
    let policy = try await context.withStore { store in
      let tenant = try await store.tenant(nameOrID: name)
      let policy =
        if let number {
          try await store.policy(tenant: tenant.id, version: number)
        } else { try await store.policy(tenant: tenant.id) }
      guard let policy else {
        throw CommandFailure(
          .notFound,
          number.map { "the policy of '\(tenant.name)' has no version \($0)" }
            ?? "the tenant '\(tenant.name)' has no policy and plans by the defaults",
          number == nil
            ? "'tenantctl policy set' gives it one"
            : "'tenantctl policy versions \(tenant.name)' shows those there are")
      }
      return policy
    }
    if context.format == .json {
      let text = String(decoding: policy.document, as: UTF8.self)
      try context.console.write(text.hasSuffix("\n") ? text : text + "\n")
      return .ok
    }
    let document = (try? JSONValue(parsing: policy.document)) ?? .null
    let shown: JSONValue = [
      "version": .number(String(policy.version)), "createdAt": .string(policy.createdAt.text),
      "policy": document,
    ]
    try context.print(.one(shown, columns: [Column("version"), Column("createdAt"), Column("policy")]))
    return .ok
  }

  private static let set = Command<CommandAction>(
    "set", "Makes a document the policy of a tenant.",
    discussion:
      "The document is checked first. A policy that exists is only replaced with --if-version. With "
      + "--dry-run it exits with 3 when the document differs from the current policy.",
    options: [ifVersion, CommonOptions.dryRun], arguments: [CommonOptions.tenant, file],
    examples: [
      "tenantctl policy set acme policy.json", "tenantctl policy set acme - --if-version 3 < policy.json",
    ]
  ) { context in
    let name = context.values[CommonOptions.tenant]
    let expected = context.values[ifVersion]
    let input = try InputFile(path: context.values[file])
    let parsed = try input.parse { (reader) throws(JSONError) in try Policy(from: &reader) }
    let now = context.now()
    if context.values[CommonOptions.dryRun] {
      let current = try await context.withStore { store in
        let tenant = try await store.tenant(nameOrID: name)
        try TenantStatusCommands.checkIsOpen(tenant)
        return try await store.policy(tenant: tenant.id)
      }
      let differs = differs(parsed, from: current)
      try context.print(
        .one(
          [
            "currentVersion": .number(String(current?.version ?? 0)), "differs": .bool(differs),
            "dryRun": true,
          ],
          columns: [Column("currentVersion"), Column("differs"), Column("dryRun")]))
      return differs ? .differences : .ok
    }
    let version = try await context.withStore { store in
      let tenant = try await store.tenant(nameOrID: name)
      try TenantStatusCommands.checkIsOpen(tenant)
      switch try await store.putPolicy(
        tenant: tenant.id, document: input.bytes, expectedVersion: expected, at: now)
      {
      case .stored(let version): return version
      case .conflict(let current):
        throw CommandFailure(
          .conflict, "the policy of '\(tenant.name)' is at version \(current), not at \(expected ?? 0)",
          "Read it with 'policy get', and say --if-version \(current)")
      case .preconditionRequired(let current):
        throw CommandFailure(
          .conflict, "the tenant '\(tenant.name)' has a policy already, at version \(current)",
          "Read it with 'policy get', and say --if-version \(current)")
      case .noTenant: throw CommandFailure(.notFound, "the tenant '\(name)' has just been removed")
      }
    }
    try context.print(.one(["version": .number(String(version))], columns: [Column("version")]))
    return .ok
  }

  private static let versions = Command<CommandAction>(
    "versions", "Lists the versions of a policy, the newest first.",
    options: [CommonOptions.limit, CommonOptions.cursor], arguments: [CommonOptions.tenant],
    examples: ["tenantctl policy versions acme"]
  ) { context in
    let name = context.values[CommonOptions.tenant]
    let limit = context.values[CommonOptions.limit]
    var before: Int?
    if let cursor = context.values[CommonOptions.cursor] {
      before = Int(cursor)
      guard before != nil else {
        throw CommandFailure(.usage, "'\(cursor)' is no cursor", "Give the 'nextCursor' of the list before")
      }
    }
    let start = before
    var versions = try await context.withStore { store in
      try await store.policyVersions(tenant: store.tenant(nameOrID: name).id, before: start, limit: limit + 1)
    }
    var next: String?
    if versions.count > limit {
      versions.removeLast()
      next = versions.last.map { String($0.version) }
    }
    let items = versions.map { version -> JSONValue in
      [
        "version": .number(String(version.version)), "createdAt": .string(version.createdAt.text),
        "bytes": .number(String(version.bytes)),
      ]
    }
    try context.print(
      .list(
        items,
        columns: [
          Column("version", alignsRight: true), Column("createdAt"), Column("bytes", alignsRight: true),
        ],
        nextCursor: next, notes: next.map { ["There are more: --cursor \($0)"] } ?? []))
    return .ok
  }

  /// By what they mean: white space, order and defaults do not count.
  private static func differs(_ policy: Policy, from current: StoredPolicy?) -> Bool {
    guard let current else { return true }
    return (try? Policy(parsing: current.document)) != policy
  }
}
