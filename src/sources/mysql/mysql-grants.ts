/** Rights that change nothing that is stored. */
const READS = new Set(
  [
    'USAGE',
    'SELECT',
    'SHOW DATABASES',
    'SHOW VIEW',
    'PROCESS',
    'REFERENCES',
    'REPLICATION CLIENT',
    'BINLOG MONITOR',
  ].concat(['SLAVE MONITOR', 'REPLICA MONITOR', 'SHOW_ROUTINE', 'LOCK TABLES', 'PROXY']),
)

/** The rights to write of a line of SHOW GRANTS, in words: `INSERT, UPDATE on shop.*`. */
export function rightsToWrite(grant: string): string[] {
  const [, rights, place] = /^GRANT (.*) ON (.*) TO /.exec(grant) ?? []
  if (rights === undefined) return []
  // SELECT (a, b) is of columns.
  const names = rights.replaceAll(/ ?\([^)]*\)/g, '').split(/, ?/)
  const writing = names.filter((name) => !READS.has(name))
  return writing.length === 0 ? [] : [`${writing.join(', ')} on ${place!.replaceAll(/[`"]/g, '')}`]
}
