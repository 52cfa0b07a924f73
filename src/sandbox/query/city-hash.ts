import {
  type DuckDBConnection,
  DuckDBScalarFunction,
  type DuckDBType,
  UBIGINT,
  VARCHAR,
} from '@duckdb/node-api'
import { hashNumber, hashText } from '../../text/city-hash.ts'

// A hash, or the number to make one of, in two words and as one. A verify asks for tens of thousands: nothing is made anew for each.
const words = new Int32Array(2)
const number = new BigUint64Array(words.buffer)
let text = Buffer.alloc(1024)
let view = new DataView(text.buffer, text.byteOffset)

/** DuckDB has no cityHash64: the query language's is made of these two, by the macro of that name. */
export function registerCityHash(connection: DuckDBConnection): void {
  register(connection, 'city_hash_of_text', VARCHAR, (value) => {
    const most = 3 * (value as string).length
    if (most > text.length) {
      text = Buffer.alloc(most)
      view = new DataView(text.buffer, text.byteOffset)
    }
    hashText(view, 0, text.write(value as string), words, 0)
  })
  register(connection, 'city_hash_of_number', UBIGINT, (value) => {
    number[0] = value as bigint
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
          output.setItem(row, number[0]!)
        }
        output.flush()
      },
    }),
  )
}
