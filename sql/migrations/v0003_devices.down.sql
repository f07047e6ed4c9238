DROP TABLE carillon.device_syncs;
DROP TABLE carillon.devices;
