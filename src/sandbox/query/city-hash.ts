import {
  type DuckDBConnection,
  DuckDBScalarFunction,
  type DuckDBType,
  UBIGINT,
  VARCHAR,
} from '@duckdb/node-api'
import { hashNumber, hashText } from '../../text/city-hash.ts'

const words = new Int32Array(2)
const number = new BigUint64Array(1)

/** DuckDB has no cityHash64: the query language's is made of these two, by the macro of that name. */
export function registerCityHash(connection: DuckDBConnection): void {
  register(connection, 'city_hash_of_text', VARCHAR, (text) => {
    const bytes = Buffer.from(String(text))
    hashText(new DataView(bytes.buffer, bytes.byteOffset, bytes.length), 0, bytes.length, words, 0)
  })
  register(connection, 'city_hash_of_number', UBIGINT, (value) => {
    number[0] = value as bigint
    words.set(new Int32Array(number.buffer))
    hashNumber(words, 0)
  })
}

/** `hash` leaves its result in `words`. */
function register(
  connection: DuckDBConnection,
  name: string,
  parameter: DuckDBType,
  hash: (value: string | bigint) => void,
): void {
  connection.registerScalarFunction(
    DuckDBScalarFunction.create({
      name,
      parameterTypes: [parameter],
      returnType: UBIGINT,
      mainFunction: (_, input, output) => {
        const values = input.getColumnVector(0)
        for (let row = 0; row < input.rowCount; row++) {
          hash(values.getItem(row) as string | bigint)
          output.setItem(row, new BigUint64Array(words.buffer.slice(0))[0]!)
        }
        output.flush()
      },
    }),
  )
}
