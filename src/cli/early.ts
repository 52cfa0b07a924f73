import type { LogFormat } from '../telemetry/log.ts'

/** The format that a command line asks for, before its options are read: also a mistake in them is told in it. */
export function earlyFormat(
  argv: readonly string[],
  env: Readonly<Record<string, string | undefined>>,
): LogFormat {
  const at = argv.findLastIndex((word) => /^--log-format(?:=|$)/.test(word))
  const word = argv[at]?.split('=')[1] ?? argv[at + 1]
  const given = at < 0 ? env.POSTHAUL_LOG_FORMAT : word
  return given === 'json' || given === 'text' ? given : 'auto'
}

/**
 * Files that posthaul writes hold events of real people. A process-wide umask makes all of them 0600, and new folders
 * 0700: those of worker threads and of libraries too, and from the moment they are made. Folders and files that are
 * there already keep their modes. Windows has no such modes.
 */
export function keepPrivate(): void {
  process.umask(0o077)
}
