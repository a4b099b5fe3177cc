/** Buttons of the YAML that set values of the chosen rows. */
import type { ReactNode } from 'react'
import { Button } from 'react-aria-components'
import { type Catalog, idOf, type Named } from '../client/catalog.ts'
import { doMany } from '../client/many.ts'
import { useMe } from '../client/me.ts'
import { notify } from '../client/notices.ts'
import type { Pages } from '../client/pages.ts'
import type { ButtonPart } from '../client/screens.ts'
import { countText } from '../format.tsx'
import { valuesToSet } from '../record/buttons.tsx'
import { Icon } from '../shell/icon.tsx'
import { WorkFailure } from '../shell/parts.tsx'
import { useWork } from '../shell/work.ts'
import { words } from '../words/words.ts'
import type { Selection } from './selection.ts'

interface ManyProps {
  readonly catalog: Catalog
  readonly named: Named
  readonly pages: Pages
  readonly selection: Selection
}

/** They are there for rows that were chosen one by one. */
export function ManyButtons({ catalog, named, pages, selection }: ManyProps): ReactNode {
  const { batch, buttons = {} } = named.resource
  const open = Object.entries(buttons).filter(([, { many, set }]) => many === true && set !== undefined)
  const me = useMe(catalog, open.length > 0)
  const work = useWork()
  if (batch === undefined || selection.isAll) return null
  const press = ({ set = {} }: ButtonPart): void =>
    work.run(async (signal, onWait) => {
      const change = await valuesToSet(catalog, named, set, me, signal)
      const chosen = pages.rows.filter((row) => selection.ids.has(idOf(row)))
      const records = chosen.map(({ id = null }) => ({ id, change }))
      const came = await doMany(batch, { verb: 'update', records }, { signal, onWait, onProgress: () => undefined })
      notify(words().didMany(countText(came.done.length), countText(came.refused.length)))
      selection.only(came.refused.map(({ id }) => id))
      pages.again()
    })
  return (
    <>
      {open.map(([name, button]) => (
        <Button className="button" isDisabled={work.isBusy} key={name} onPress={() => press(button)}>
          <Icon name={button.icon} />
          {button.label}
        </Button>
      ))}
      <WorkFailure work={work} />
    </>
  )
}
