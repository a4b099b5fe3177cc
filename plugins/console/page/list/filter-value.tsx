/** What a filter compares with: words, other records, numbers, days or text. */
import type { ReactNode } from 'react'
import type { Catalog, Filter, Resource, Values } from '../client/catalog.ts'
import { listSource, ManyPicker, Picker } from '../form/picker.tsx'
import { wordText } from '../format.tsx'
import { words } from '../words/words.ts'

/** A path over a relation names the relation too, because several may have a `name`. */
export function labelOf(resource: Resource, name: string, label: string): string {
  const [first = '', ...rest] = name.split('.')
  const relation = resource.relations[first]
  return rest.length === 0 || relation === undefined ? label : `${relation.label}: ${label}`
}

/** The resource whose records the filter names by their ids. */
export function targetOf(catalog: Catalog, resource: Resource, name: string): Resource | undefined {
  const relation = resource.relations[resource.fields[name]?.relation ?? '']
  const target = relation?.to === undefined ? undefined : catalog.resources[relation.to]
  return target?.actions.includes('list') && target.actions.includes('get') ? target : undefined
}

interface FilterValueProps {
  readonly catalog: Catalog
  readonly filter: Filter
  readonly operator: string
  readonly target: Resource | undefined
  readonly value: string
  readonly onValue: (value: string) => void
}

const INPUTS: Readonly<Record<string, string>> = { date: 'date', timestamp: 'date', integer: 'number', count: 'number' }

export function FilterValue(props: FilterValueProps): ReactNode {
  const { filter, onValue, operator, target, value } = props
  if (operator === 'null' || filter.type === 'boolean') return <OneWord {...props} offered={['true', 'false']} />
  if (operator === 'in') return <Several {...props} />
  if (filter.words !== undefined) return <OneWord {...props} offered={filter.words.map(String)} />
  if (target !== undefined)
    return (
      <Picker
        label={words().value}
        onPick={(id) => onValue(id ?? '')}
        source={listSource(target)}
        value={value === '' ? null : value}
      />
    )
  return <Typed {...props} />
}

function Typed({ filter, onValue, operator, value }: FilterValueProps): ReactNode {
  return (
    <label className="field">
      <span>{words().value}</span>
      <input
        onChange={(event) => onValue(event.target.value)}
        required
        step="any"
        type={operator === 'in' ? 'text' : (INPUTS[filter.type] ?? 'text')}
        value={value}
      />
      {operator === 'in' ? <small>{words().severalHint}</small> : null}
    </label>
  )
}

type WordProps = FilterValueProps & { readonly offered: readonly string[] }

function OneWord({ filter, offered, onValue, value }: WordProps): ReactNode {
  const textOf = (option: string): string =>
    option === 'true' ? words().yes : option === 'false' ? words().no : wordText(option, filter.values)
  return (
    <label className="field">
      <span>{words().value}</span>
      <select onChange={(event) => onValue(event.target.value)} required value={value}>
        <option value="">{words().choose}</option>
        {offered.map((option) => (
          <option key={option} value={option}>
            {textOf(option)}
          </option>
        ))}
      </select>
    </label>
  )
}

/** One of several: records, words, or values with commas between them. */
function Several(props: FilterValueProps): ReactNode {
  const { filter, onValue, target, value } = props
  const chosen = value === '' ? [] : value.split(',')
  const choose = (next: readonly string[]): void => onValue(next.join(','))
  if (target !== undefined)
    return (
      <ManyPicker
        label={words().value}
        names={new Map()}
        onChange={(ids) => choose(ids.map(String))}
        source={listSource(target)}
        values={chosen}
      />
    )
  if (filter.words === undefined) return <Typed {...props} />
  return <SeveralWords chosen={chosen} offered={filter.words.map(String)} onChange={choose} values={filter.values} />
}

interface SeveralProps {
  readonly offered: readonly string[]
  readonly chosen: readonly string[]
  readonly onChange: (chosen: readonly string[]) => void
  readonly values: Values | undefined
}

function SeveralWords({ chosen, offered, onChange, values }: SeveralProps): ReactNode {
  const choose = (word: string, is: boolean): void =>
    onChange(offered.filter((one) => (one === word ? is : chosen.includes(one))))
  return (
    <fieldset className="choices">
      <legend className="hidden">{words().value}</legend>
      {offered.map((word) => (
        <label key={word}>
          <input
            checked={chosen.includes(word)}
            onChange={(event) => choose(word, event.target.checked)}
            type="checkbox"
          />
          {wordText(word, values)}
        </label>
      ))}
    </fieldset>
  )
}
