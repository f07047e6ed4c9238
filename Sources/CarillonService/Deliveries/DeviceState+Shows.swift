import CarillonModel
import CarillonStore

extension DeviceState {
  /// Whether it last said that it had this very request; one without a revision is taken for it.
  func shows(_ request: HeldRequest) -> Bool {
    pending?.contains { item in
      item.id == request.id && (item.revisionHash ?? request.revisionHash) == request.revisionHash
    } ?? false
  }
}
