/** Buttons of the YAML that set values of the chosen rows. */
import { type ReactNode, useState } from 'react'
import { Button } from 'react-aria-components'
import type { Catalog } from '../client/catalog.ts'
import { countMatching } from '../client/many.ts'
import { useMe } from '../client/me.ts'
import type { ButtonPart } from '../client/screens.ts'
import { inputsOf } from '../form/draft.ts'
import { countText } from '../format.tsx'
import { valuesToSet } from '../record/buttons.tsx'
import { Question } from '../shell/dialog.tsx'
import { Icon } from '../shell/icon.tsx'
import { WorkFailure } from '../shell/parts.tsx'
import { useWork } from '../shell/work.ts'
import { words } from '../words/words.ts'
import { type Act, perform, type Reach } from './many-acts.ts'

interface ManyProps extends Reach {
  readonly catalog: Catalog
}

/** What a button would do to all that match, and how many they are. */
interface Previewed {
  readonly label: string
  readonly act: Act
  readonly matched: number
}

/** A press for chosen rows does it at once; for all that match it first says how many they are. */
export function ManyButtons({ catalog, ...reach }: ManyProps): ReactNode {
  const { named, selection } = reach
  const { batch, buttons = {} } = named.resource
  const open = Object.entries(buttons).filter(([, { many, set }]) => many === true && set !== undefined)
  const me = useMe(catalog, open.length > 0)
  const [previewed, setPreviewed] = useState<Previewed | undefined>(undefined)
  const work = useWork()
  if (batch === undefined) return null
  const doing = { onProgress: () => undefined }
  const press = ({ label, set = {} }: ButtonPart): void =>
    work.run(async (signal, onWait) => {
      const change = await valuesToSet(catalog, named, set, me, signal)
      const inputs = inputsOf(named.resource, 'update', undefined).filter(({ name }) => Object.hasOwn(change, name))
      const act: Act = { verb: 'update', change, inputs }
      if (selection.isAll) setPreviewed({ label, act, matched: await countMatching(reach.all, 'update', signal) })
      else await perform(reach, act, selection.ids.size, { ...doing, signal, onWait })
    })
  const close = (): void => setPreviewed(undefined)
  return (
    <>
      {open.map(([name, button]) => (
        <Button className="button" isPending={work.isBusy} key={name} onPress={() => press(button)}>
          <Icon name={button.icon} />
          {button.label}
        </Button>
      ))}
      <WorkFailure work={work} />
      {previewed === undefined ? null : (
        <Question
          no={words().cancel}
          onNo={close}
          onYes={async () => {
            await perform(reach, previewed.act, previewed.matched, doing)
            close()
          }}
          text={words().wouldReach(countText(previewed.matched))}
          title={previewed.label}
          yes={previewed.label}
        />
      )}
    </>
  )
}
