-- The roles, which belong to the cluster and not to one database. One statement, idempotent, run by a superuser in
-- each database that is to hold the schema.
DO $roles$
DECLARE
  v_role text;
BEGIN
  -- Two that install at once wait for each other.
  PERFORM pg_advisory_xact_lock(hashtext('carillon.roles'));

  FOREACH v_role IN ARRAY ARRAY[
    'carillon_owner', 'carillon_app', 'carillon_operator', 'carillon_worker', 'carillon_auth',
    'carillon_eraser'
  ] LOOP
    IF NOT EXISTS (SELECT FROM pg_catalog.pg_roles WHERE rolname = v_role) THEN
      EXECUTE format('CREATE ROLE %I', v_role);
    END IF;
  END LOOP;

  -- NOINHERIT, so that owning the look-up's role does not lend the owner that role's sight of all keys.
  ALTER ROLE carillon_owner LOGIN NOSUPERUSER NOBYPASSRLS NOCREATEDB NOCREATEROLE NOINHERIT;
  ALTER ROLE carillon_app LOGIN NOSUPERUSER NOBYPASSRLS NOCREATEDB NOCREATEROLE;
  ALTER ROLE carillon_operator LOGIN NOSUPERUSER BYPASSRLS NOCREATEDB NOCREATEROLE;
  ALTER ROLE carillon_worker LOGIN NOSUPERUSER NOBYPASSRLS NOCREATEDB NOCREATEROLE;
  ALTER ROLE carillon_auth NOLOGIN NOSUPERUSER NOBYPASSRLS NOCREATEDB NOCREATEROLE;
  ALTER ROLE carillon_eraser NOLOGIN NOSUPERUSER NOBYPASSRLS NOCREATEDB NOCREATEROLE;
  IF NOT pg_has_role('carillon_owner', 'carillon_auth', 'MEMBER') THEN
    GRANT carillon_auth TO carillon_owner;
  END IF;
  IF NOT pg_has_role('carillon_owner', 'carillon_eraser', 'MEMBER') THEN
    GRANT carillon_eraser TO carillon_owner;
  END IF;

  -- A request that waits longer than this has no one left who waits for it.
  ALTER ROLE carillon_app SET statement_timeout = '5s';
  ALTER ROLE carillon_app SET lock_timeout = '2s';
  ALTER ROLE carillon_app SET idle_in_transaction_session_timeout = '10s';
  ALTER ROLE carillon_worker SET statement_timeout = '30s';
  ALTER ROLE carillon_worker SET lock_timeout = '2s';
  ALTER ROLE carillon_worker SET idle_in_transaction_session_timeout = '30s';
  ALTER ROLE carillon_operator SET lock_timeout = '5s';
  ALTER ROLE carillon_operator SET idle_in_transaction_session_timeout = '60s';

  EXECUTE format('GRANT CREATE ON DATABASE %I TO carillon_owner', current_database());
END
$roles$
