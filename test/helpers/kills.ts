/**
 * How often a test kills: `few` times in the project `faults`, `many` times in the project `many`, which runs the same files.
 */
export function kills({ few, many }: { readonly few: number; readonly many: number }): number {
  return process.env.POSTHAUL_TEST_KILLS === 'many' ? many : few
}
