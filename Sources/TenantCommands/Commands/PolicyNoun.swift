import CarillonOptions

enum PolicyNoun {
  static let noun = Noun<CommandAction>("policy", "Policies of tenants.", verbs: [])
}
