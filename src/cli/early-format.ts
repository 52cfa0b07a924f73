import type { LogFormat } from '../telemetry/rendering.ts'

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
