/// Where the embedded database of a server stands, for the server that runs it and the commands that look for it.
public enum EmbeddedCluster {
  /// The database of the product within the cluster.
  public static let database = "carillon"
  public static let superuser = "postgres"

  /// The cluster's folder within a server's data folder, beside which other data may come to stand.
  public static func folder(in dataFolder: String) -> String { "\(dataFolder)/postgresql" }
}
