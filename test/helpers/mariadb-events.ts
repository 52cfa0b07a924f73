import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import type { MariaDb } from './mariadb.ts'

/** The first of the days that events are on. */
export const FIRST_DAY = Date.UTC(2024, 2, 1)

/** Makes a table `events` of so many rows, evenly on days from FIRST_DAY on. */
export async function makeEvents(server: MariaDb, rows: number, days: number): Promise<void> {
  const micros = Math.floor((days * 86_400e6) / rows)
  await server.run(`
    CREATE TABLE events (id BIGINT UNSIGNED PRIMARY KEY, created_at DATETIME(6) NOT NULL, name VARCHAR(40) CHARACTER SET utf8mb4,
      user_id VARCHAR(20), price DECIMAL(20,6), props JSON, KEY (created_at));
    INSERT INTO events SELECT seq, '2024-03-01' + INTERVAL (seq - 1) * ${micros} MICROSECOND,
      ELT(1 + seq % 3, 'signed up', CONVERT(X'6661c39f20c3bc' USING utf8mb4), 'plan "chosen"'), CONCAT('u', seq % 97), seq / 7,
      CONCAT('{"n": ', seq, ', "big": ', 9007199254740993 + seq, ', "text": "', REPEAT(CHAR(97 + seq % 26), 60), '"}')
    FROM seq_1_to_${rows}`)
}

/** What the server's own client says that the lines of \`events\` are, in the order of time. */
export async function eventLines(server: MariaDb): Promise<string[]> {
  const text =
    await server.run(`SELECT CONCAT('{"id":', id, ',"created_at":"', created_at, '","name":', JSON_QUOTE(name),
    ',"user_id":"', user_id, '","price":', price, ',"props":', props, '}') FROM events ORDER BY created_at`)
  return text.split('\n').slice(0, -1)
}

/** The lines of all parts of a raw dataset or a dataset of events, in the order of their names. */
export function partLines(folder: string): string[] {
  const parts = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) =>
    /\.ndjson(\.gz)?$/.test(name),
  )
  return parts.sort().flatMap((name) => linesIn(join(folder, name)))
}

export function linesIn(part: string): string[] {
  const bytes = readFileSync(part)
  return (part.endsWith('.gz') ? gunzipSync(bytes) : bytes).toString('utf8').split('\n').slice(0, -1)
}
