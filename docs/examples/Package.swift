// swift-tools-version: 6.2
import PackageDescription

let package = Package(
  name: "CarillonExamples",
  platforms: [.macOS(.v15)],
  dependencies: [.package(name: "Carillon", path: "../..")],
  targets: [
    .executableTarget(
      name: "device-simulator",
      dependencies: [
        .product(name: "CarillonClient", package: "Carillon"),
        .product(name: "CarillonTesting", package: "Carillon"),
      ]),
    .executableTarget(
      name: "reminder-service", dependencies: [.product(name: "CarillonClient", package: "Carillon")]),
  ],
  swiftLanguageModes: [.v6]
)
