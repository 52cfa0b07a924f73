import { firstFew } from '../../text/index.ts'
import type { ServerInfo, TableColumn, TableInfo, TimeKind } from '../sql/database.ts'
import type { PostgresType } from './postgres-cells.ts'
import type { PostgresField, PostgresSnapshot } from './postgres-session.ts'

/** Schemas of the server itself. */
const OWN = `n.nspname NOT IN ('pg_catalog', 'information_schema') AND n.nspname !~ '^pg_(toast|temp)'`

/** Types by OID, and the types that these are made of. */
const TYPES = `
WITH RECURSIVE wanted(oid) AS (
  SELECT unnest($1::oid[])
  UNION
  SELECT part.oid FROM wanted JOIN pg_type t USING (oid) CROSS JOIN LATERAL (
    SELECT t.typelem WHERE t.typinput = 'array_in'::regproc
    UNION ALL SELECT t.typbasetype WHERE t.typtype = 'd'
    UNION ALL SELECT a.atttypid FROM pg_attribute a
      WHERE t.typtype = 'c' AND a.attrelid = t.typrelid AND a.attnum > 0 AND NOT a.attisdropped
  ) AS part(oid)
)
SELECT t.oid,
  CASE WHEN t.typnamespace = 'pg_catalog'::regnamespace THEN t.typname ELSE '' END,
  CASE WHEN t.typtype = 'd' THEN 'domain' WHEN t.typtype = 'c' THEN 'composite'
    WHEN t.typinput = 'array_in'::regproc THEN 'array' ELSE 'plain' END,
  CASE WHEN t.typtype = 'd' THEN t.typbasetype ELSE t.typelem END,
  coalesce(e.typdelim, ','),
  (SELECT json_agg(json_build_array(a.attname, a.atttypid::text) ORDER BY a.attnum) FROM pg_attribute a
    WHERE t.typtype = 'c' AND a.attrelid = t.typrelid AND a.attnum > 0 AND NOT a.attisdropped)
FROM wanted JOIN pg_type t USING (oid) LEFT JOIN pg_type e ON e.oid = t.typelem`

export async function typesOf(
  snapshot: PostgresSnapshot,
  fields: readonly PostgresField[],
): Promise<ReadonlyMap<string, PostgresType>> {
  const oids = [...new Set(fields.map((field) => field.dataTypeID))]
  const { rows } = await snapshot.query(TYPES, [`{${oids.join(',')}}`])
  return new Map(
    rows.map(([oid, name, kind, of, delimiter, attributes]): [string, PostgresType] => [
      oid!,
      {
        name: name!,
        kind: kind as PostgresType['kind'],
        of: of!,
        delimiter: delimiter!,
        attributes: attributes === null ? [] : (JSON.parse(attributes!) as PostgresType['attributes']),
      },
    ]),
  )
}

const TIMES: Readonly<Record<string, TimeKind>> = { timestamptz: 'instant', timestamp: 'naive', date: 'date' }

/** Columns by what the server says of a statement's rows. Those of a view or a query may be NULL for all it knows. */
export async function columnsOf(
  snapshot: PostgresSnapshot,
  fields: readonly PostgresField[],
): Promise<readonly TableColumn[]> {
  const types = await typesOf(snapshot, fields)
  const { rows } = await snapshot.query(
    `SELECT format_type(f.type, f.modifier), coalesce(a.attnotnull AND c.relkind IN ('r', 'p'), false)
     FROM json_to_recordset($1::json) AS f(place int, type oid, modifier int, "table" oid, number int)
     LEFT JOIN pg_attribute a ON a.attrelid = f."table" AND a.attnum = f.number
     LEFT JOIN pg_class c ON c.oid = a.attrelid ORDER BY f.place`,
    [
      JSON.stringify(
        fields.map(
          ({ dataTypeID: type, dataTypeModifier: modifier, tableID: table, columnID: number }, place) => {
            return { place, type, modifier, table, number }
          },
        ),
      ),
    ],
  )
  return fields.map(({ name, dataTypeID }, at) => {
    const [type, notNull] = rows[at]!
    const plain = baseName(String(dataTypeID), types)
    const time = TIMES[plain]
    return {
      ...{ name, type: type!, nullable: notNull !== 't', time, timeless: time !== undefined },
      integer: /^int[248]$/.test(plain),
    }
  })
}

function baseName(oid: string, types: ReadonlyMap<string, PostgresType>): string {
  const type = types.get(oid)
  return type?.kind === 'domain' ? baseName(type.of, types) : (type?.name ?? '')
}

/** Those that the user may read. A partitioned table counts once, with the rows and bytes of all its partitions. Its estimate is -1 while nobody has analysed it. */
const TABLES = `
WITH RECURSIVE tree(root, part) AS (
  SELECT c.oid, c.oid FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
    WHERE c.relkind IN ('r', 'p', 'v', 'm', 'f') AND NOT c.relispartition AND ${OWN}
      AND ($1 = '' OR n.nspname = $1)
      AND has_schema_privilege(n.oid, 'USAGE') AND has_table_privilege(c.oid, 'SELECT')
  UNION ALL
  SELECT tree.root, i.inhrelid FROM tree JOIN pg_inherits i ON i.inhparent = tree.part
    JOIN pg_class c ON c.oid = i.inhrelid AND c.relispartition
)
SELECT n.nspname, c.relname, c.relkind IN ('v', 'm'),
  sum(part.reltuples::numeric) FILTER (WHERE part.relkind <> 'p'), bool_or(part.reltuples < 0 AND part.relkind <> 'p'),
  sum(pg_total_relation_size(part.oid))
FROM tree JOIN pg_class c ON c.oid = tree.root JOIN pg_class part ON part.oid = tree.part
  JOIN pg_namespace n ON n.oid = c.relnamespace
GROUP BY c.oid, n.nspname, c.relname, c.relkind ORDER BY n.nspname, c.relname`

export async function postgresTables(snapshot: PostgresSnapshot, schema = ''): Promise<readonly TableInfo[]> {
  const { rows } = await snapshot.query(TABLES, [schema])
  return rows.map(([inSchema, name, isView, count, isUnknown, bytes]) => ({
    schema: inSchema!,
    name: name!,
    rows:
      count === null || isUnknown === 't' || (Number(count) === 0 && bytes !== '0')
        ? undefined
        : Number(count),
    bytes: bytes === '0' ? undefined : Number(bytes),
    isView: isView === 't',
  }))
}

/** What the user may do besides reading, most of it first. */
const RIGHTS = `
SELECT current_setting('server_version'), current_database(), current_user, pg_is_in_recovery(),
  extract(epoch FROM clock_timestamp()) * 1000,
  (SELECT rolsuper FROM pg_roles WHERE rolname = current_user),
  (SELECT json_agg(format('%I.%I', n.nspname, c.relname) ORDER BY 1) FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
    WHERE c.relkind IN ('r', 'p') AND NOT c.relispartition AND ${OWN}
      AND has_table_privilege(c.oid, 'INSERT, UPDATE, DELETE, TRUNCATE')),
  (SELECT json_agg(quote_ident(n.nspname) ORDER BY 1) FROM pg_namespace n WHERE ${OWN} AND has_schema_privilege(n.oid, 'CREATE')),
  has_database_privilege(current_database(), 'CREATE')`

export async function infoOf(snapshot: PostgresSnapshot): Promise<ServerInfo> {
  const { rows } = await snapshot.query(RIGHTS)
  const [version, database, user, isStandby, now, isSuper, tables, schemas, ofDatabase] = rows[0]!
  const named = (names: string | null | undefined) => firstFew(JSON.parse(names ?? '[]') as string[], 3)
  const standby = isStandby === 't' ? ', a standby' : ''
  return {
    about: `Postgres ${version}, database ${database}, user ${user}${standby}`,
    mayWrite: [
      ...(isSuper === 't' ? ['is a superuser'] : []),
      ...(tables ? [`may change rows of ${named(tables)}`] : []),
      ...(schemas ? [`may create tables in ${named(schemas)}`] : []),
      ...(ofDatabase === 't' ? ['may create schemas'] : []),
    ],
    now: Number(now),
  }
}
