interface TableCounts {
  /** Files that it was read from; 0 for a table that was not given. */
  readonly files: number
  readonly rows: number
  readonly keys: number
  /** Rows that share the key of another one, where only one of them can stand. */
  readonly repeated: number
  /** Rows without a value in a column of the key: nothing can lead to them. */
  readonly without_key: number
  readonly unreadable: number
}

/** A side table as it is looked up. Plain data: it crosses threads, and all but `file` is fingerprinted. */
export interface BuiltTable extends TableCounts {
  readonly name: string
  /** As the preset says of it: see SideTable. */
  readonly help: string
  readonly as: string
  readonly expected: boolean
  /** True if it is made of the records themselves. */
  readonly of_records: boolean
  /** Where it is on this machine; undefined for a table that was not given. */
  readonly file: string | undefined
  /** Of its keys and rows; null for a table that was not given. */
  readonly sha256: string | null
}

/** Records that have a row, and those that name one which is not there. */
export interface JoinCounts {
  found: number
  missing: number
}

/** A side table, and what became of its look-ups, as a summary has it. */
export type JoinedTable = Omit<BuiltTable, 'file'> & JoinCounts

export function tablesSource(built: readonly Pick<BuiltTable, 'name' | 'rows' | 'sha256'>[]): {
  readonly side_tables?: string
} {
  const given = built.filter(({ sha256 }) => sha256 !== null)
  if (given.length === 0) return {}
  return {
    side_tables: given.map(({ name, rows, sha256 }) => `${name} (${rows} rows, sha256 ${sha256})`).join(', '),
  }
}

export function joinedTables(
  built: readonly BuiltTable[],
  joins: Readonly<Record<string, JoinCounts>>,
): JoinedTable[] {
  return built.map(({ file: _, ...table }) => ({
    ...table,
    ...(joins[table.name] ?? { found: 0, missing: 0 }),
  }))
}

export function addJoins(
  into: Record<string, JoinCounts>,
  other: Readonly<Record<string, JoinCounts>>,
): void {
  for (const [name, { found, missing }] of Object.entries(other)) {
    const before = into[name] ?? { found: 0, missing: 0 }
    into[name] = { found: before.found + found, missing: before.missing + missing }
  }
}
