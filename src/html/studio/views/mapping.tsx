import { number } from '../../../text/index.ts'
import { Name } from '../../kit/name.tsx'
import { Editor } from '../parts/editor.tsx'
import { RecordSides } from '../parts/record-sides.tsx'
import { RowActions } from '../parts/row-actions.tsx'
import { ChoiceForm } from '../parts/small-form.tsx'
import { TimeZone } from '../parts/time-zone.tsx'
import { hrefOf, replacePlace } from '../place.ts'
import type { ViewProps } from '../session.ts'
import { useRecord } from '../use-records.ts'

/** A path is shown whole: its end says which file it is. */
const LONGEST_PATH = 4096

/** The text of the mapping, and beside it a record that shows what each change does. */
export function MappingView({ moment, session, params }: ViewProps) {
  const { mapping, model, fault, yaml, previewing } = moment
  const asked = params.get('record')
  const chosen = asked !== null && /^\d+$/.test(asked) ? Number(asked) : (model.names.record ?? 0)
  const record = useRecord(model.counts.records === 0 ? undefined : chosen, model.revision)
  return (
    <div class="mapping">
      <section aria-label="Text of the mapping">
        <Preset moment={moment} session={session} />
        <TimeZone zone={moment.setup?.zone ?? null} session={session} />
        <label for="yaml" class="yaml-label">
          <Name text={mapping.path} most={LONGEST_PATH} />
        </label>
        <Editor text={yaml} fault={fault} busy={previewing} onInput={(text) => session.type(text)} />
        <p class="soft small">Ctrl+S or ⌘S saves. Tab leaves the text.</p>
      </section>
      <section aria-labelledby="on-show">
        <h3 id="on-show">What it makes of record {number(chosen + 1)}</h3>
        <div class="record-steps">
          <button
            type="button"
            aria-disabled={chosen === 0}
            onClick={() => chosen > 0 && replacePlace('mapping', { record: String(chosen - 1) })}
          >
            Previous
          </button>
          <button
            type="button"
            aria-disabled={chosen + 1 >= model.counts.records}
            onClick={() =>
              chosen + 1 < model.counts.records && replacePlace('mapping', { record: String(chosen + 1) })
            }
          >
            Next
          </button>
          <a href={hrefOf('records', { record: String(chosen) })}>Find another record</a>
        </div>
        {fault !== null && <p class="fault">As the last text without a fault makes it:</p>}
        {record.value !== undefined && <RecordSides record={record.value} />}
        {record.failure !== undefined && <p class="fault">{record.failure.message}</p>}
      </section>
    </div>
  )
}

function Preset({ moment: { model, presets }, session }: Pick<ViewProps, 'moment' | 'session'>) {
  return (
    <div class="preset">
      <span>
        Preset: <strong>{model.preset}</strong>
      </span>
      <RowActions
        name="the preset"
        forms={[
          {
            label: 'Change…',
            form: (close) => (
              <ChoiceForm
                label="Preset"
                choices={presets.map(({ name, vendor }) => ({ value: name, label: `${name} (${vendor})` }))}
                onChoice={(preset) =>
                  void session.edit({ kind: 'set_preset', preset }, `Took the preset ${preset}`)
                }
                close={close}
              />
            ),
          },
        ]}
        actions={[]}
      />
    </div>
  )
}
