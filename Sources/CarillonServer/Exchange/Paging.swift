import CarillonAPI
import CarillonHTTP
import CarillonJSON

extension HTTPResponse {
  /// A page of a list, with `nextCursor` in the body and `Link: rel="next"`.
  ///
  /// - Parameter items: one more than was asked for when there are more.
  static func page<Item>(
    _ items: [Item], request: PageRequest, route: Route, cursor: (Item) -> Cursor,
    write: (Item, inout JSONWriter) -> Void
  ) -> HTTPResponse {
    let shown = Array(items.prefix(request.limit))
    let page = Page(
      items: shown, nextCursor: items.count > request.limit ? shown.last.map { cursor($0).text } : nil)
    let link = page.link(route).map { [(name: "Link", value: $0)] } ?? []
    return .json(200, link) { writer in
      page.write(to: &writer) { item, writer in write(item, &writer) }
    }
  }
}
