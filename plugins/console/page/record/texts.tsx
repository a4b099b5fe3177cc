/** Texts that are kept for being put into others: found by their names, and put in where the cursor is. */
import { type KeyboardEvent, type ReactNode, useState } from 'react'
import { Button } from 'react-aria-components'
import { ask, recordIn } from '../client/api.ts'
import { idOf, type RecordData, type Resource } from '../client/catalog.ts'
import { listSource, Picker } from '../form/picker.tsx'
import { Box } from '../shell/dialog.tsx'
import { WorkFailure } from '../shell/parts.tsx'
import { useWork } from '../shell/work.ts'
import { words } from '../words/words.ts'

/** Where a text is put in: the field, the place in it, and what is written there where no text is chosen. */
interface Spot {
  readonly name: string
  readonly at: number
  readonly otherwise: string
}

/** The place of a `/` that begins a word; undefined for any other key. */
function spotOf({ key, target }: KeyboardEvent): Spot | undefined {
  if (key !== '/' || !(target instanceof HTMLTextAreaElement)) return undefined
  const { dataset, selectionStart: at, value } = target
  return /\S$/.test(value.slice(0, at)) ? undefined : { name: dataset.name ?? '', at, otherwise: '/' }
}

/** Puts texts into what is written: by `/`, or by a button at the end of a field. */
export function useTexts(
  resource: Resource | undefined,
  textOf: (name: string) => string,
  onText: (name: string, text: string) => void,
) {
  const [spot, setSpot] = useState<Spot | undefined>(undefined)
  const pressed = (event: KeyboardEvent): void => {
    const typed = resource === undefined ? undefined : spotOf(event)
    if (typed === undefined) return
    // The key would reach the field that finds texts, which gets the focus first.
    event.preventDefault()
    setSpot(typed)
  }
  const putIn = ({ at, name }: Spot, text: string): void => {
    const written = textOf(name)
    setSpot(undefined)
    onText(name, written.slice(0, at) + text + written.slice(at))
  }
  const button = (name: string | undefined): ReactNode =>
    resource === undefined || name === undefined ? null : (
      <Button className="button" onPress={() => setSpot({ name, at: textOf(name).length, otherwise: '' })}>
        {words().putIn} <kbd className="not-phones">/</kbd>
      </Button>
    )
  const box =
    spot === undefined || resource === undefined ? null : (
      <Texts onClose={() => putIn(spot, spot.otherwise)} onText={(text) => putIn(spot, text)} resource={resource} />
    )
  return { box, button, pressed }
}

interface TextsProps {
  readonly resource: Resource
  readonly onClose: () => void
  readonly onText: (text: string) => void
}

function Texts({ onClose, onText, resource }: TextsProps): ReactNode {
  const work = useWork()
  const [name] =
    Object.entries(resource.fields).find(([, { show, type }]) => type === 'text' && show !== undefined) ?? []
  const pick = (row: RecordData): void =>
    work.run(async (signal) => {
      const whole =
        row[name ?? ''] === undefined ? recordIn(await ask(`${resource.path}/${idOf(row)}`, { signal })) : row
      onText(String(whole[name ?? ''] ?? ''))
    })
  return (
    <Box onClose={onClose} title={words().putIn}>
      <Picker
        isNext
        label={resource.label.many}
        onPick={(_, row) => row !== undefined && pick(row)}
        source={listSource(resource)}
        value={null}
      />
      <WorkFailure work={work} />
    </Box>
  )
}
