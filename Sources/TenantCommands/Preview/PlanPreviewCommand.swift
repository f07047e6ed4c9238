import CarillonOptions

/// `tenantctl plan preview`.
enum PlanPreviewCommand {
  static let preview = Command<CommandAction>(
    "preview", "Plans from files alone, with no database and no server.",
    discussion:
      "Prints the plan, its 'diff' against what the device holds, and in 'rejected' the notifications "
      + "that are refused; when there are such, the exit code is 8. A file named - is standard input.",
    options: PreviewOptions.all,
    examples: [
      "tenantctl plan preview --device D.json --queue Q.json --now 2026-03-04T00:00:00Z",
      "tenantctl plan preview --policy P.json --device D.json --queue - --now 2026-03-04T00:00:00Z -o json < Q.json",
    ]
  ) { context in
    throw CommandFailure(.error, "not yet")
  }
}
