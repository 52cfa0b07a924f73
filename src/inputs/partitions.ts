/** The folders right above a file whose names say a column's value, as Hive and Spark write them: `country=AT`, `dt=2024-03-01`. */
export function partitionsOf(path: string): string[] {
  const folders = path.split('/').slice(0, -1)
  return folders.slice(folders.findLastIndex((name) => !/^[^=]+=./.test(name)) + 1)
}
