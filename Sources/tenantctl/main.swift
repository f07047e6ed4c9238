import TenantCommands

await TenantControl.main()
