import { useState } from 'preact/hooks'
import type { ColumnRow, ColumnRule } from '../../../studio/studio-data.ts'
import { number, plural } from '../../../text/words.ts'
import { Name, Notice, shortName } from '../../kit/parts.tsx'
import { TableView } from '../../kit/table.tsx'
import { percent } from '../../kit/words.ts'
import { useAnswer } from '../api.ts'
import { useShown } from '../session.ts'
import { type Choice, countWords, SearchField, Select, sampleWords } from './filters.tsx'

/** What a list offers: types, and numbers by the sign before their fraction. */
const TYPES: ReadonlyArray<Choice & { readonly rule: ColumnRule }> = [
  { value: 'text', label: 'text', rule: { type: 'text' } },
  { value: 'number', label: 'number: 1234.56', rule: { type: 'number' } },
  { value: 'number.', label: 'number: 1,234.56', rule: { type: 'number', decimal: '.' } },
  { value: 'number,', label: 'number: 1.234,56', rule: { type: 'number', decimal: ',' } },
  { value: 'boolean', label: 'true or false', rule: { type: 'boolean' } },
  { value: 'time', label: 'time', rule: { type: 'time' } },
  { value: 'list', label: 'list', rule: { type: 'list' } },
  { value: 'json', label: 'JSON', rule: { type: 'json' } },
  { value: 'dropped', label: 'left out', rule: { type: 'dropped' } },
]
const SEPARATORS = [',', ';', '|', '/', ' ', '\t']
const OWNERS: readonly Choice[] = [
  { value: 'event', label: 'of the event' },
  { value: 'person', label: 'of the person' },
]

/** The columns of a table: what their cells are, and what becomes of some of them. */
export function ColumnTypes() {
  const { yaml, input } = useShown().moment
  const [text, setText] = useState('')
  const { value: table, failure } = useAnswer('columns', { yaml, text })
  return (
    <section aria-labelledby="columns">
      <h3 id="columns">Columns</h3>
      <p>
        Cells of a table are text, unless their column has a type. A cell that is not of the type stays text:
        such cells are shown first.
      </p>
      <search class="filters" aria-label="Filter">
        <SearchField label="Search all columns" value={text} onInput={setText} />
      </search>
      {failure !== undefined && <Notice level="error" title={failure.message} />}
      {table !== undefined && (
        <>
          <div class="stack">
            <TableView
              caption={countWords('column', table, sampleWords(input))}
              columns={[{ label: 'Column' }, { label: 'Type' }, { label: 'Cells, and what they become' }]}
              rows={table.rows.map((row) => [
                <span key="name">
                  <Name text={row.column} />{' '}
                  <span class="soft small">{percent(row.filled / Math.max(row.records, 1))} filled</span>
                </span>,
                <Type key={`type ${row.column}`} row={row} />,
                <Cells key="cells" row={row} />,
              ])}
            />
          </div>
          {table.total === 0 && <p>No column has that name.</p>}
        </>
      )}
    </section>
  )
}

function Type({ row }: { row: ColumnRow }) {
  const { session } = useShown()
  const { column, rule } = row
  const set = (to: ColumnRule): void =>
    void session.edit(
      { kind: 'set_column', column, rule: to },
      `Read “${shortName(column)}” as ${to.type === 'dropped' ? 'left out' : to.type}`,
    )
  const of = shortName(column)
  return (
    <div class="line">
      {rule.type !== 'dropped' && (
        <Select
          name={`Whose property ${of} is`}
          value={row.person ? 'person' : 'event'}
          choices={OWNERS}
          onChoose={(value) =>
            void session.edit(
              { kind: 'set_owner', column, person: value === 'person' },
              `Made “${of}” a property of the ${value}`,
            )
          }
        />
      )}
      <Select
        name={`Type of ${of}`}
        value={`${rule.type}${rule.decimal ?? ''}`}
        choices={TYPES}
        onChoose={(value) => set(TYPES.find((known) => known.value === value)!.rule)}
      />
      {rule.type === 'time' && (
        <label>
          form{' '}
          <input
            aria-label={`form of ${of}`}
            value={rule.formats?.[0] ?? ''}
            placeholder="as above"
            size={12}
            spellcheck={false}
            onChange={({ currentTarget: { value } }) =>
              set({ type: 'time', ...(value !== '' && { formats: [value] }) })
            }
          />
        </label>
      )}
      {rule.type === 'list' && (
        <Select
          label="between elements "
          name={`Separator of ${of}`}
          value={rule.separator ?? ','}
          choices={[...new Set([...SEPARATORS, rule.separator ?? ','])].map((value) => ({
            value,
            label: value === '\t' ? 'tab' : value === ' ' ? 'blank' : shortName(value, 12),
          }))}
          onChoose={(value) => set({ type: 'list', ...(value !== ',' && { separator: value }) })}
        />
      )}
    </div>
  )
}

function Cells({ row }: { row: ColumnRow }) {
  const { cells, unfit, filled, rule } = row
  if (cells.length === 0) return <span class="soft">every cell is empty</span>
  return (
    <>
      {unfit > 0 && (
        <p class="small">
          <span class="chip warning">{plural(unfit, 'cell')}</span> of {number(filled)}{' '}
          {unfit === 1 ? 'is' : 'are'} no {rule.type}: {unfit === 1 ? 'it stays' : 'they stay'} text
        </p>
      )}
      <ul class="bare small">
        {cells.map(({ text, value }) => (
          <li key={text}>
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
