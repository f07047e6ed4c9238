// swift-tools-version: 6.2
import PackageDescription

/// One set of rules for every target: Swift 6 mode, no warnings, explicit imports.
let strict: [SwiftSetting] = [
  .treatAllWarnings(as: .error),
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("MemberImportVisibility"),
  .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
  .enableUpcomingFeature("InferIsolatedConformances"),
]

func module(
  _ name: String, _ dependencies: [Target.Dependency] = [], path: String? = nil,
  exclude: [String] = [], resources: [Resource]? = nil
) -> Target {
  .target(
    name: name, dependencies: dependencies, path: path, exclude: exclude, resources: resources,
    swiftSettings: strict)
}

func program(_ name: String, _ dependencies: [Target.Dependency]) -> Target {
  .executableTarget(name: name, dependencies: dependencies, swiftSettings: strict)
}

func tests(
  _ name: String, _ dependencies: [Target.Dependency], exclude: [String] = [], resources: [Resource]? = nil
) -> Target {
  .testTarget(
    name: name, dependencies: dependencies, exclude: exclude, resources: resources, swiftSettings: strict)
}

let package = Package(
  name: "Carillon",
  // For the SDK in apps; the server runs on Linux.
  platforms: [.iOS(.v18), .macOS(.v15), .watchOS(.v11), .visionOS(.v2)],
  products: [
    .library(name: "CarillonClient", targets: ["CarillonClient"]),
    .library(name: "CarillonTesting", targets: ["CarillonTesting"]),
    .library(name: "CarillonPlanner", targets: ["CarillonPlanner"]),
    .executable(name: "carillon-server", targets: ["carillon-server"]),
    .executable(name: "tenantctl", targets: ["tenantctl"]),
    .executable(name: "carillon-bench", targets: ["carillon-bench"]),
  ],
  targets: [
    // System libraries, each behind one module of ours.
    .target(name: "CLinux"),
    // The benchmark's own malloc, which counts.
    .target(name: "CBenchAllocations"),
    .systemLibrary(name: "CPostgres", pkgConfig: "libpq", providers: [.apt(["libpq-dev"])]),
    .systemLibrary(
      name: "CMicroHTTPD", pkgConfig: "libmicrohttpd", providers: [.apt(["libmicrohttpd-dev"])]),
    .systemLibrary(name: "CGnuTLS", pkgConfig: "gnutls", providers: [.apt(["libgnutls28-dev"])]),
    .systemLibrary(name: "CZlib", pkgConfig: "zlib", providers: [.apt(["zlib1g-dev"])]),
    .systemLibrary(name: "CCrypto", pkgConfig: "libcrypto", providers: [.apt(["libssl-dev"])]),

    // Layer 0
    module("CarillonJSON"),
    module(
      "CarillonSQL", path: "sql",
      resources: [.embedInCode("migrations"), .embedInCode("queries"), .embedInCode("roles.sql")]),

    // Layer 1
    module("CarillonModel", ["CarillonJSON"]),
    module("CarillonEventLoop", ["CLinux"]),
    module("CarillonCrypto", ["CCrypto"]),

    // Layer 2
    module("CarillonPlanner", ["CarillonModel"]),
    module("CarillonAPI", ["CarillonModel", "CarillonJSON"]),
    module("CarillonPostgres", ["CarillonEventLoop", "CPostgres"]),
    module("CarillonHTTP", ["CarillonEventLoop", "CMicroHTTPD", "CGnuTLS", "CZlib", "CLinux"]),

    // Layer 3
    module("CarillonStore", ["CarillonPostgres", "CarillonSQL", "CarillonModel", "CarillonJSON"]),
    module("CarillonZones", ["CarillonPlanner", "CarillonModel"]),

    // Layer 4
    module(
      "CarillonService",
      ["CarillonStore", "CarillonPlanner", "CarillonAPI", "CarillonModel", "CarillonJSON"]),

    // Layer 5
    module(
      "CarillonServer",
      [
        "CarillonService", "CarillonStore", "CarillonZones", "CarillonPlanner", "CarillonAPI",
        "CarillonPostgres", "CarillonHTTP", "CarillonModel", "CarillonEventLoop", "CarillonCrypto",
        "CarillonJSON", "CarillonSQL", "CarillonOptions", "CarillonTelemetry", "CLinux",
      ],
      resources: [.embedInCode("openapi.yaml")]),
    module(
      "TenantCommands",
      [
        "CarillonService", "CarillonStore", "CarillonPostgres", "CarillonZones", "CarillonPlanner",
        "CarillonModel", "CarillonAPI", "CarillonSQL", "CarillonJSON", "CarillonCrypto",
        "CarillonEventLoop", "CarillonOptions",
      ]),
    module(
      "CarillonClient",
      ["CarillonAPI", "CarillonZones", "CarillonPlanner", "CarillonModel", "CarillonJSON"]),

    // Layer 6
    module(
      "CarillonTesting",
      [
        "CarillonClient", "CarillonAPI", "CarillonZones", "CarillonPlanner", "CarillonModel",
        "CarillonJSON",
      ]),
    program("carillon-server", ["CarillonServer"]),
    program("tenantctl", ["TenantCommands"]),
    program("carillon-bench", ["CarillonBench"]),
    program("carillon-quickstart", ["CarillonQuickstart"]),

    // Beside the layers
    module("CarillonOptions", ["CLinux"]),
    module("CarillonTelemetry", ["CarillonJSON"]),
    module(
      "CarillonBench",
      [
        "CarillonClient", "CarillonServer", "CarillonPostgres", "CarillonAPI", "CarillonZones",
        "CarillonPlanner", "CarillonModel", "CarillonJSON", "CarillonEventLoop", "CarillonOptions",
        "CBenchAllocations",
      ]),
    module(
      "CarillonQuickstart",
      [
        "CarillonClient", "CarillonTesting", "CarillonAPI", "CarillonZones", "CarillonPlanner",
        "CarillonModel", "CarillonJSON", "CarillonOptions",
      ],
      resources: [.embedInCode("Queues/article-66.json"), .embedInCode("Queues/prayer-times.json")]),
    module(
      "CarillonFuzzing",
      [
        "CarillonAPI", "CarillonZones", "CarillonPlanner", "CarillonHTTP", "CarillonModel", "CarillonJSON",
      ]),
    program("carillon-fuzz", ["CarillonFuzzing"]),
    module("TestSupport", ["CarillonPostgres", "CarillonEventLoop", "CLinux"]),
    module(
      "IntegrationSupport",
      [
        "CarillonServer", "CarillonStore", "CarillonPostgres", "CarillonEventLoop", "CarillonCrypto",
        "CarillonModel", "CarillonJSON", "CarillonSQL", "TestSupport",
      ]),

    // Tests: one target per module, and one for the rules of the house.
    tests("CarillonJSONTests", ["CarillonJSON", "TestSupport"]),
    tests("CarillonModelTests", ["CarillonModel", "CarillonJSON", "TestSupport"]),
    tests("CarillonAPITests", ["CarillonAPI", "CarillonModel", "CarillonJSON", "TestSupport"]),
    // Foundation's calendar, which the planner's tests ask in a process of its own.
    .executableTarget(name: "calendar-oracle", path: "Tests/CalendarOracle", swiftSettings: strict),
    tests(
      "CarillonPlannerTests",
      [
        "CarillonPlanner", "CarillonZones", "CarillonModel", "CarillonJSON", "TestSupport", "calendar-oracle",
      ]),
    tests("CarillonEventLoopTests", ["CarillonEventLoop", "TestSupport"]),
    tests("CarillonHTTPTests", ["CarillonHTTP", "CarillonEventLoop", "TestSupport"]),
    tests("CarillonPostgresTests", ["CarillonPostgres", "CarillonEventLoop", "TestSupport"]),
    tests(
      "CarillonStoreTests",
      [
        "CarillonStore", "CarillonPostgres", "CarillonEventLoop", "CarillonSQL", "CarillonModel",
        "CarillonJSON", "IntegrationSupport", "TestSupport",
      ]),
    tests(
      "CarillonServiceTests",
      [
        "CarillonService", "CarillonStore", "CarillonPlanner", "CarillonAPI", "CarillonModel", "CarillonJSON",
      ]),
    tests(
      "CarillonServerTests",
      [
        "CarillonServer", "CarillonClient", "CarillonTesting", "CarillonAPI", "CarillonModel",
        "CarillonJSON", "CarillonPostgres", "CarillonStore", "CarillonEventLoop", "CarillonCrypto",
        "IntegrationSupport",
        "TestSupport", "carillon-server", "carillon-bench", "tenantctl",
      ]),
    tests(
      "CarillonClientTests",
      [
        "CarillonClient", "CarillonTesting", "CarillonQuickstart", "CarillonAPI", "CarillonZones",
        "CarillonPlanner", "CarillonModel", "CarillonJSON", "IntegrationSupport",
      ]),
    tests(
      "TenantCommandsTests",
      [
        "TenantCommands", "CarillonServer", "CarillonStore", "CarillonPostgres", "CarillonEventLoop",
        "CarillonModel",
        "CarillonJSON", "CarillonCrypto", "CarillonOptions", "IntegrationSupport", "TestSupport",
        "tenantctl",
      ]),
    tests(
      "CarillonFuzzingTests", ["CarillonFuzzing", "CarillonPlanner", "CarillonModel", "TestSupport"],
      exclude: ["Corpus"]),
    tests("CarillonTelemetryTests", ["CarillonTelemetry", "CarillonJSON"]),
    tests("CarillonOptionsTests", ["CarillonOptions"]),
    tests("CarillonCryptoTests", ["CarillonCrypto"]),
    // The SDK as who embeds it meets it: on Apple's platforms, in its pages, in the examples, over versions.
    tests(
      "SDKPackageTests",
      [
        "CarillonClient", "CarillonTesting", "CarillonModel", "CarillonJSON", "IntegrationSupport",
        "TestSupport",
      ]),
    tests("TidyTests", []),
  ],
  swiftLanguageModes: [.v6]
)
