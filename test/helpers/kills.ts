/**
 * How often a test kills: `few` times in the project `slow`, `many` times in the project `ci`, which runs each file
 * with `kill-` in its name once more.
 */
export function kills({ few, many }: { readonly few: number; readonly many: number }): number {
  return process.env.POSTHAUL_TEST_KILLS === 'many' ? many : few
}
