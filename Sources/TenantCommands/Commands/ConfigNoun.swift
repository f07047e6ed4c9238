import CarillonJSON
import CarillonOptions

/// `tenantctl config`: what the settings are and who said so.
enum ConfigNoun {
  static let noun = Noun<CommandAction>("config", "Settings of tenantctl.", verbs: [show])

  private static let origin = Option.flag("origin", "Also says where each value comes from.")
    .commandLineOnly()

  private static let show = Command<CommandAction>(
    "show", "Shows the settings that every command shares.",
    discussion:
      "The command line wins over the environment, the environment over the file named by --config, the "
      + "file over the defaults. Passwords are not shown.",
    options: [origin],
    examples: ["tenantctl config show --origin", "tenantctl config show --config tenantctl.conf -o json"]
  ) { context in
    let showsOrigin = context.values[origin]
    let entries = context.values.entries.filter { entry in
      CommonOptions.all.contains { $0.declaration.name == entry.declaration.name }
    }
    let items = entries.map { entry in
      var members = [
        JSONMember("name", .string(entry.declaration.name)),
        JSONMember("value", entry.texts.last.map { .string(shown($0, entry.declaration)) } ?? .null),
      ]
      if showsOrigin { members.append(JSONMember("origin", .string(entry.origin.description))) }
      return JSONValue.object(members)
    }
    let columns = ["name", "value"] + (showsOrigin ? ["origin"] : [])
    try context.print(.list(items, columns: columns.map { Column($0) }))
    return .ok
  }

  private static func shown(_ text: String, _ declaration: OptionDeclaration) -> String {
    declaration.name == CommonOptions.databaseURL.declaration.name
      ? ConnectionString(text).redacted : text
  }
}
