/** How often a test kills: `few` times by day, `many` times in the project `many`, which runs all files that ask here. */
export function kills({ few, many }: { readonly few: number; readonly many: number }): number {
  return process.env.POSTHAUL_TEST_KILLS === 'many' ? many : few
}

/** Of the rows of a table every `every`th by day, and all in the project `many`. */
export function byDay<Row>(rows: readonly Row[], every: number): Row[] {
  const step = kills({ few: every, many: 1 })
  return rows.filter((_, place) => place % step === 0)
}
