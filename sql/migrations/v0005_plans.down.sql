DROP TABLE carillon.plans;
