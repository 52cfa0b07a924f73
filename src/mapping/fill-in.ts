/** What a new mapping file has in the place of a column that nothing tells. A mapping file that still has it is refused. */
export const FILL_IN = 'FILL_IN'
