// Apple's CoreLocation as far as the SDK uses it: declarations alone, to compile against where there is no Apple SDK.
import Foundation

public typealias CLLocationDegrees = Double
public typealias CLLocationDistance = Double

public struct CLLocationCoordinate2D: Sendable {
  public var latitude: CLLocationDegrees
  public var longitude: CLLocationDegrees

  public init(latitude: CLLocationDegrees, longitude: CLLocationDegrees) {
    self.latitude = latitude
    self.longitude = longitude
  }
}

open class CLRegion: NSObject {
  open var identifier: String { fatalError() }
  open var notifyOnEntry: Bool {
    get { fatalError() }
    set { fatalError() }
  }
  open var notifyOnExit: Bool {
    get { fatalError() }
    set { fatalError() }
  }
}

open class CLCircularRegion: CLRegion {
  public init(center: CLLocationCoordinate2D, radius: CLLocationDistance, identifier: String) { fatalError() }

  open var center: CLLocationCoordinate2D { fatalError() }
  open var radius: CLLocationDistance { fatalError() }
}
