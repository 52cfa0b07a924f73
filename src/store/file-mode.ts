/**
 * The most that a new file and a new folder allow. They hold events of real people, and a program that uses the library
 * mostly has a umask by which all users of the machine can read. The command line allows less: see cli/early.ts.
 */
export const FILE_MODE = 0o640
export const FOLDER_MODE = 0o750
