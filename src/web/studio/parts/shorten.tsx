import { useState } from 'preact/hooks'
import { plural } from '../../../report/words.ts'

const ROWS = 100

/** Shows the first rows of many, and a button for more: thousands of rows would make each edit slow. */
export function useFirst<T>(rows: readonly T[]): { first: readonly T[]; more: preact.ComponentChild } {
  const [most, setMost] = useState(ROWS)
  const left = rows.length - most
  const more =
    left <= 0 ? null : (
      <p>
        <button type="button" onClick={() => setMost(most + ROWS * 5)}>
          Show more
        </button>{' '}
        <span class="soft">{plural(left, 'row is', 'rows are')} not shown.</span>
      </p>
    )
  return { first: rows.slice(0, most), more }
}
