/** Pickers of other records: what people type is searched on the server, so that a table of any length can be chosen from. */
import { type ReactNode, useEffect, useState } from 'react'
import { Button, ComboBox, Input, Label, ListBox, ListBoxItem, Popover, Text } from 'react-aria-components'
import { rowsIn } from '../client/api.ts'
import { useAnswer } from '../client/asking.ts'
import { idOf, isRecord, type Json, type RecordData, type Resource, titleOf } from '../client/catalog.ts'
import { words } from '../words/words.ts'

const OFFERED = 20
const PAUSE_MS = 200

/** Where a picker finds the records that it offers. */
export interface Source {
  readonly path: string
  readonly query: Readonly<Record<string, string>>
  readonly canSearch: boolean
  titleOf(row: RecordData): string
  /** The path of one record, to find its name by. */
  readonly one?: (id: string) => string
}

/** The list of a resource as a source. */
export function listSource(resource: Resource): Source {
  const { actions, list, path } = resource
  const one = actions.includes('get') ? { one: (id: string) => `${path}/${encodeURIComponent(id)}` } : {}
  return { path, query: {}, canSearch: list?.search !== undefined, titleOf: (row) => titleOf(resource, row), ...one }
}

interface PickerProps {
  readonly label: string
  readonly source: Source
  /** The id of the chosen record. */
  readonly value: Json
  /** Its name, where it is known already. */
  readonly name?: string | undefined
  readonly onPick: (id: string | null, record?: RecordData) => void
  readonly isRequired?: boolean
  readonly description?: string | undefined
  readonly error?: string | undefined
  readonly inputName?: string
  /** It follows one that was used, and takes its focus. */
  readonly isNext?: boolean
}

/** What the text finds, a moment after it was typed. */
function useOffered(
  { canSearch, path, query, titleOf: nameOf }: Source,
  text: string,
): { readonly rows: readonly RecordData[]; readonly isAsking: boolean } {
  const [asked, setAsked] = useState(text)
  useEffect(() => {
    const timer = setTimeout(() => setAsked(text), PAUSE_MS)
    return () => clearTimeout(timer)
  }, [text])
  const search: Readonly<Record<string, string>> = canSearch && asked !== '' ? { search: asked } : {}
  const { answer, failure } = useAnswer(
    `${path}?${new URLSearchParams({ per_page: String(OFFERED), ...query, ...search })}`,
  )
  const rows = answer === undefined ? [] : rowsIn(answer)
  const part = text.toLocaleLowerCase()
  const fitting = canSearch ? rows : rows.filter((row) => nameOf(row).toLocaleLowerCase().includes(part))
  return { rows: fitting, isAsking: answer === undefined && failure === undefined }
}

/** What people call the chosen record. */
function useChosenName({ one, titleOf: nameOf }: Source, value: Json, name: string | undefined): string {
  const asks = value !== null && name === undefined
  const { answer } = useAnswer(asks ? one?.(String(value)) : undefined)
  if (value === null) return ''
  if (name !== undefined) return name
  return isRecord(answer?.data) ? nameOf(answer.data) : String(value)
}

/** What is typed and chosen in a picker, and what it offers for that. */
function usePicking({ name, onPick, source, value }: PickerProps) {
  const [picked, setPicked] = useState<{ readonly id: string; readonly name: string } | undefined>(undefined)
  const known = picked !== undefined && picked.id === String(value) ? picked.name : name
  const chosenName = useChosenName(source, value, known)
  const [typed, setTyped] = useState<string | undefined>(undefined)
  const { isAsking, rows } = useOffered(source, typed ?? '')
  const pick = (key: string | null): void => {
    const record = rows.find((row) => idOf(row) === key)
    setTyped(undefined)
    setPicked(key === null || record === undefined ? undefined : { id: key, name: source.titleOf(record) })
    onPick(key, record)
  }
  const typing = (text: string): void => {
    if (text === '' && value !== null && typed !== undefined) pick(null)
    else setTyped(text === chosenName ? undefined : text)
  }
  return { isAsking, rows, pick, typing, text: typed ?? chosenName, stop: () => setTyped(undefined) }
}

export function Picker(props: PickerProps): ReactNode {
  const { description, error, inputName, isNext = false, isRequired = false, label, source, value } = props
  const { isAsking, pick, rows, stop, text, typing } = usePicking(props)
  return (
    <ComboBox
      allowsEmptyCollection
      autoFocus={isNext}
      className="field"
      defaultFilter={() => true}
      inputValue={text}
      isInvalid={error !== undefined}
      items={rows.map((row) => ({ id: idOf(row), title: source.titleOf(row) }))}
      menuTrigger={isNext ? 'input' : 'focus'}
      onBlur={stop}
      onInputChange={typing}
      onSelectionChange={(key) => key !== null && pick(String(key))}
      selectedKey={value === null ? null : String(value)}
    >
      <Label>
        {label} {isRequired ? <span className="soft">({words().required})</span> : null}
      </Label>
      <div className="combo">
        <Input data-name={inputName} placeholder={words().choose} />
        {value !== null && !isRequired ? (
          <Button aria-label={words().none} className="button plain" onPress={() => pick(null)} slot={null}>
            ×
          </Button>
        ) : null}
        <Button className="button plain">▾</Button>
      </div>
      {description === undefined ? null : <Text slot="description">{description}</Text>}
      {error === undefined ? null : (
        <Text className="bad" slot="errorMessage">
          {error}
        </Text>
      )}
      <Popover className="popover">
        <ListBox renderEmptyState={() => <p className="soft">{isAsking ? words().loading : words().noChoice}</p>}>
          {({ id, title }: { readonly id: string; readonly title: string }) => (
            <ListBoxItem id={id} textValue={title}>
              {title}
            </ListBoxItem>
          )}
        </ListBox>
      </Popover>
    </ComboBox>
  )
}

interface ManyProps extends Omit<PickerProps, 'value' | 'onPick' | 'name'> {
  readonly values: readonly Json[]
  readonly names: ReadonlyMap<string, string>
  readonly onChange: (ids: readonly Json[]) => void
}

/** Several records: those that are chosen, and a picker that adds one. */
export function ManyPicker({ names, onChange, values, ...rest }: ManyProps): ReactNode {
  const [known, setKnown] = useState<ReadonlyMap<string, string>>(names)
  const [added, setAdded] = useState(0)
  const add = (id: string | null, record?: RecordData): void => {
    if (id === null || values.some((value) => String(value) === id)) return
    if (record !== undefined) setKnown(new Map([...known, [id, rest.source.titleOf(record)]]))
    setAdded(added + 1)
    onChange([...values, record?.id ?? id])
  }
  const nameOfOne = (value: Json): string => known.get(String(value)) ?? names.get(String(value)) ?? String(value)
  return (
    <div>
      {/* A new picker for the next one: in the same one the cleared text would count as typed and open the list again. */}
      <Picker {...rest} isNext={added > 0} key={added} onPick={add} value={null} />
      <ul className="tokens">
        {values.map((value) => (
          <li className="token" key={String(value)}>
            <span>{nameOfOne(value)}</span>
            <Button
              aria-label={words().removeFilter(nameOfOne(value))}
              className="button plain"
              onPress={() => onChange(values.filter((one) => one !== value))}
            >
              ×
            </Button>
          </li>
        ))}
      </ul>
    </div>
  )
}
