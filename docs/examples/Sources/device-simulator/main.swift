import CarillonClient

// A day of a phone in fast time: the clock goes from minute to minute, and each minute says what came of it.

guard let midnight = Instant("\(Story.day)T00:00:00+01:00") else {
  preconditionFailure("the story's day is a date")
}
let phone = Phone(at: midnight.adding(seconds: 6 * 3_600))
phone.server.setPolicy(try Policy(parsing: Array(Story.policy.utf8)))
try await Diary(phone: phone, midnight: midnight).write()
