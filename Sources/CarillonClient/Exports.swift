// An app imports one module: the words of the domain and of the wire come with it.
@_exported import CarillonAPI
@_exported import CarillonJSON
@_exported import CarillonModel
