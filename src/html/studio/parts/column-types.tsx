import { useState } from 'preact/hooks'
import type { ColumnRow, ColumnRule, StudioInput } from '../../../studio/studio-data.ts'
import { number, plural } from '../../../text/index.ts'
import { Name, shortName } from '../../kit/name.tsx'
import { Notice } from '../../kit/notice.tsx'
import { TableView } from '../../kit/table.tsx'
import { percent } from '../../kit/words.ts'
import type { PageSession } from '../session.ts'
import { useColumns } from '../use-records.ts'
import { Filters, SearchField } from './filters.tsx'
import { countWords, Pager, sampleWords } from './pager.tsx'

const ROWS = 50

/** What a list offers: types, and numbers by the sign before their fraction. */
const TYPES: ReadonlyArray<readonly [value: string, label: string, rule: ColumnRule]> = [
  ['text', 'text', { type: 'text' }],
  ['number', 'number: 1234.56', { type: 'number' }],
  ['number.', 'number: 1,234.56', { type: 'number', decimal: '.' }],
  ['number,', 'number: 1.234,56', { type: 'number', decimal: ',' }],
  ['boolean', 'true or false', { type: 'boolean' }],
  ['time', 'time', { type: 'time' }],
  ['list', 'list', { type: 'list' }],
  ['json', 'JSON', { type: 'json' }],
  ['dropped', 'left out', { type: 'dropped' }],
]
const SEPARATORS = [',', ';', '|', '/', ' ', '\t']
const MINUS = { before: '-5', after: '5-', parentheses: '(5)' } as const

/** The columns of a table: what their cells are, and what becomes of some of them. */
export function ColumnTypes(props: { yaml: string; input: StudioInput; session: PageSession }) {
  const { yaml, input, session } = props
  const [text, setText] = useState('')
  const [offset, setOffset] = useState(0)
  const { value: table, failure } = useColumns({ yaml, text, offset, limit: ROWS })
  return (
    <section aria-labelledby="columns">
      <h3 id="columns">Columns</h3>
      <p>
        Cells of a table are text, unless their column has a type. A cell that is not of the type stays text:
        such cells are shown first.
      </p>
      <Filters>
        <SearchField
          label="Search all columns"
          value={text}
          onInput={(typed) => {
            setOffset(0)
            setText(typed)
          }}
        />
      </Filters>
      {failure !== undefined && <Notice level="error" title={failure.message} />}
      {table !== undefined && (
        <>
          <div class="column-types">
            <TableView
              caption={countWords('column', table, sampleWords(input))}
              columns={[{ label: 'Column' }, { label: 'Type' }, { label: 'Cells, and what they become' }]}
              rows={table.rows.map((row) => [
                <span key="name">
                  <Name text={row.column} />{' '}
                  <span class="soft small">{percent(row.filled / Math.max(row.records, 1))} filled</span>
                </span>,
                <Type key={`type ${row.column}`} row={row} session={session} />,
                <Cells key="cells" row={row} />,
              ])}
            />
          </div>
          {table.total === 0 && <p>No column is called so.</p>}
          <Pager what="columns" offset={offset} size={ROWS} total={table.total} onOffset={setOffset} />
        </>
      )}
    </section>
  )
}

function Type({ row, session }: { row: ColumnRow; session: PageSession }) {
  const { column, rule } = row
  const set = (to: ColumnRule): void =>
    void session.edit(
      { kind: 'set_column', column, rule: to },
      `Read “${shortName(column)}” as ${to.type === 'dropped' ? 'left out' : to.type}`,
    )
  const of = shortName(column)
  return (
    <div class="type-control">
      <select
        aria-label={`Type of ${of}`}
        value={`${rule.type}${rule.decimal ?? ''}`}
        onChange={({ currentTarget: { value } }) => {
          const chosen = TYPES.find(([known]) => known === value)
          if (chosen) set(chosen[2])
        }}
      >
        {TYPES.map(([value, label]) => (
          <option key={value} value={value}>
            {label}
          </option>
        ))}
      </select>
      {rule.decimal !== undefined && (
        <>
          <label>
            minus{' '}
            <select
              aria-label={`Minus of ${of}`}
              value={rule.minus ?? 'before'}
              onChange={({ currentTarget: { value } }) => {
                const { minus: _, ...rest } = rule
                set(value === 'before' ? rest : { ...rest, minus: value as 'after' | 'parentheses' })
              }}
            >
              {Object.entries(MINUS).map(([value, label]) => (
                <option key={value} value={value}>
                  {label}
                </option>
              ))}
            </select>
          </label>
          <Small
            label="currency"
            of={of}
            value={rule.currency ?? ''}
            hint="any"
            onChange={(value) => {
              const { currency: _, ...rest } = rule
              set(value === '' ? rest : { ...rest, currency: value })
            }}
          />
        </>
      )}
      {rule.type === 'time' && (
        <Small
          label="form"
          of={of}
          value={rule.formats?.[0] ?? ''}
          hint="as above"
          onChange={(value) => set({ type: 'time', ...(value !== '' && { formats: [value] }) })}
        />
      )}
      {rule.type === 'list' && (
        <label>
          between elements{' '}
          <select
            aria-label={`Separator of ${of}`}
            value={rule.separator ?? ','}
            onChange={({ currentTarget: { value } }) =>
              set({ type: 'list', ...(value !== ',' && { separator: value }) })
            }
          >
            {[...new Set([...SEPARATORS, rule.separator ?? ','])].map((separator) => (
              <option key={separator} value={separator}>
                {separator === '\t' ? 'tab' : separator === ' ' ? 'blank' : shortName(separator, 12)}
              </option>
            ))}
          </select>
        </label>
      )}
    </div>
  )
}

/** A field that is applied when it is left, or by Enter. */
function Small(props: {
  label: string
  of: string
  value: string
  hint: string
  onChange: (value: string) => void
}) {
  return (
    <label>
      {props.label}{' '}
      <input
        aria-label={`${props.label} of ${props.of}`}
        value={props.value}
        placeholder={props.hint}
        size={12}
        spellcheck={false}
        onChange={(event) => props.onChange(event.currentTarget.value)}
      />
    </label>
  )
}

function Cells({ row }: { row: ColumnRow }) {
  const { cells, unfit, filled, rule } = row
  if (cells.length === 0) return <span class="soft">every cell is empty</span>
  return (
    <>
      {unfit > 0 && (
        <p class="small">
          <span class="chip warn">{plural(unfit, 'cell')}</span> of {number(filled)}{' '}
          {unfit === 1 ? 'is' : 'are'} no {rule.type}: {unfit === 1 ? 'it stays' : 'they stay'} text
        </p>
      )}
      <ul class="bare small cells">
        {cells.map(({ text, value, fits }) => (
          <li key={text} class={fits ? undefined : 'unfit'}>
            <code>
              <Name text={text} most={40} />
            </code>
            {' → '}
            {value === null ? (
              <span class="soft">left out</span>
            ) : (
              <code>
                <Name text={value} most={40} />
              </code>
            )}
          </li>
        ))}
      </ul>
    </>
  )
}
