-- The restrictions of an instance, set once and locked. The variable `folder` is its scratch folder, the only one it
-- can access.
SET threads = 1;
SET memory_limit = '128MB';
SET temp_directory = getvariable('folder');
SET autoinstall_known_extensions = false;
SET autoload_known_extensions = false;
SET allow_community_extensions = false;
SET allowed_directories = [getvariable('folder')];
SET enable_external_access = false;
SET lock_configuration = true;
