import CarillonModel
import CarillonStore

extension DeviceLook {
  /// Whose each occurrence is: the owner of the queue's entry it is one of. What is stored keeps its owner.
  ///
  /// What rang and stands in the queue no more is taken for the device's user's: the database holds that against who
  /// else has been there.
  func owned(_ rows: [StoredDelivery]) -> [StoredDelivery] {
    guard !rows.isEmpty else { return [] }
    // What the report puts takes no older occurrence from whose it was.
    let entries = PassedWishes.byID(situation.queueBefore + situation.queue + situation.everybodys)
    return rows.map { row in
      var row = row
      let item = occurrences.items[Occurrences.Key(row)]
      if let stored = item?.stored, item?.isNew == false {
        row.user = stored.user
      } else if let user = absentUsers[Occurrences.Key(row)] {
        row.user = user
      } else if let entry = entries[row.notification] {
        row.user = entry.user
      } else if let stored = item?.stored {
        row.user = stored.user
      } else {
        row.user = [StoredEntry].owner(situation.before.info.userId)
        row.isOrphan = true
      }
      return row
    }
  }
}
