import { Name, shortName } from '../../kit/name.tsx'
import type { PageSession } from '../session.ts'
import { RowActions } from './row-actions.tsx'
import { ZoneForm } from './small-form.tsx'

/** Times that say no zone are read in it. */
export function TimeZone({ zone, session }: { zone: string | null; session: PageSession }) {
  const set = (to: string | null, what: string): void =>
    void session.edit({ kind: 'set_timezone', zone: to }, what)
  return (
    <div class="preset">
      <span>
        Times without a zone: <strong>{zone === null ? 'UTC' : <Name text={zone} />}</strong>
      </span>
      <RowActions
        name="the time zone"
        forms={[
          {
            label: 'Set zone…',
            form: (close) => (
              <ZoneForm
                onZone={(to) => set(to, `Read times without a zone in “${shortName(to)}”`)}
                close={close}
              />
            ),
          },
        ]}
        actions={zone === null ? [] : [{ label: 'Forget', run: () => set(null, 'Took back the time zone') }]}
      />
    </div>
  )
}
