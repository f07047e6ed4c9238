import CarillonQuickstart

await Quickstart.main()
