DROP TABLE carillon.device_events;
