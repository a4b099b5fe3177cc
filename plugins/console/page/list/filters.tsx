/** The filters of a list: one token for each that is in the address, and a menu that adds one. */
import { type FormEvent, type ReactNode, useState } from 'react'
import { Button, Menu, MenuItem, MenuTrigger, Popover } from 'react-aria-components'
import { useAnswer } from '../client/asking.ts'
import { type Catalog, type Filter, isRecord, type Resource, titleOf } from '../client/catalog.ts'
import { listSource, Picker } from '../form/picker.tsx'
import { valueText, wordText } from '../format.tsx'
import { Box } from '../shell/dialog.tsx'
import { useKey } from '../shell/keys.tsx'
import { words } from '../words/words.ts'
import { type Change, type Chosen, chosenFilters, filterKey, operatorsOf } from './query.ts'

interface FiltersProps {
  readonly catalog: Catalog
  readonly resource: Resource
  readonly query: URLSearchParams
  readonly onChange: Change
}

interface Editing {
  readonly name: string
  readonly from?: Chosen
}

export function Filters({ catalog, onChange, query, resource }: FiltersProps): ReactNode {
  const [editing, setEditing] = useState<Editing | undefined>(undefined)
  const [isOpen, setOpen] = useState(false)
  const filters = resource.list?.filters ?? {}
  const chosen = resource.list === undefined ? [] : chosenFilters(resource.list, query)
  useKey('f', () => setOpen(true))
  const filter = editing === undefined ? undefined : filters[editing.name]
  return (
    <>
      <MenuTrigger isOpen={isOpen} onOpenChange={setOpen}>
        <Button className="button">+ {words().addFilter}</Button>
        <Popover className="popover">
          <Menu aria-label={words().filters} onAction={(key) => setEditing({ name: String(key) })}>
            {Object.entries(filters).map(([name, { label }]) => (
              <MenuItem id={name} key={name} textValue={label}>
                {labelOf(resource, name, label)}
              </MenuItem>
            ))}
          </Menu>
        </Popover>
      </MenuTrigger>
      {chosen.map((one) => (
        <Token
          catalog={catalog}
          chosen={one}
          key={one.key}
          onChange={onChange}
          onEdit={() => setEditing({ name: one.name, from: one })}
          resource={resource}
        />
      ))}
      {editing === undefined || filter === undefined ? null : (
        <FilterBox
          catalog={catalog}
          editing={editing}
          filter={filter}
          onChange={onChange}
          onClose={() => setEditing(undefined)}
          resource={resource}
        />
      )}
    </>
  )
}

/** A path over a relation names the relation too, because several may have a `name`. */
function labelOf(resource: Resource, name: string, label: string): string {
  const [first = '', ...rest] = name.split('.')
  const relation = resource.relations[first]
  return rest.length === 0 || relation === undefined ? label : `${relation.label}: ${label}`
}

interface TokenProps extends Omit<FiltersProps, 'query'> {
  readonly chosen: Chosen
  readonly onEdit: () => void
}

function Token({ catalog, chosen, onChange, onEdit, resource }: TokenProps): ReactNode {
  const filter = resource.list?.filters[chosen.name]
  const target = targetOf(catalog, resource, chosen.name)
  const single =
    target === undefined || chosen.value.includes(',') || chosen.operator === 'null' ? undefined : chosen.value
  const { answer } = useAnswer(single === undefined ? undefined : `${target?.path}/${encodeURIComponent(single)}`)
  if (filter === undefined) return null
  const record = answer?.data
  const isNull = chosen.operator === 'null'
  const shown = isRecord(record) && target !== undefined ? titleOf(target, record) : wordOf(filter, chosen.value)
  const comparison =
    isNull && chosen.value === 'false'
      ? `${words().operators.ne} ${words().none}`
      : words().operators[chosen.operator as 'eq']
  const text = `${labelOf(resource, chosen.name, filter.label)} ${comparison}${isNull ? '' : ` ${shown}`}`
  return (
    <span className="token">
      <Button className="button plain" onPress={onEdit}>
        {text}
      </Button>
      <Button
        aria-label={words().removeFilter(text)}
        className="button plain"
        onPress={() => onChange({ [chosen.key]: null })}
      >
        ×
      </Button>
    </span>
  )
}

function wordOf({ type }: Filter, value: string): string {
  if (type === 'boolean') return value === 'true' ? words().yes : words().no
  return value
    .split(',')
    .map((one) => valueText(type, one))
    .join(', ')
}

/** The resource whose records the filter names by their ids. */
function targetOf(catalog: Catalog, resource: Resource, name: string): Resource | undefined {
  const relation = resource.relations[resource.fields[name]?.relation ?? '']
  const target = relation?.to === undefined ? undefined : catalog.resources[relation.to]
  return target?.actions.includes('list') && target.actions.includes('get') ? target : undefined
}

interface FilterBoxProps extends Omit<FiltersProps, 'query'> {
  readonly editing: Editing
  readonly filter: Filter
  readonly onClose: () => void
}

function FilterBox({ catalog, editing, filter, onChange, onClose, resource }: FilterBoxProps): ReactNode {
  const operators = operatorsOf(filter)
  const [operator, setOperator] = useState(editing.from?.operator ?? operators[0] ?? 'eq')
  const [value, setValue] = useState(editing.from?.value ?? (filter.type === 'boolean' ? 'true' : ''))
  const apply = (event: FormEvent): void => {
    event.preventDefault()
    const before = editing.from === undefined ? {} : { [editing.from.key]: null }
    const sent = operator === 'null' && value !== 'false' ? 'true' : value
    onChange({ ...before, [filterKey(editing.name, operator)]: sent })
    onClose()
  }
  return (
    <Box onClose={onClose} title={labelOf(resource, editing.name, filter.label)}>
      <form className="form" onSubmit={apply}>
        <label className="field">
          <span>{words().comparison}</span>
          <select onChange={(event) => setOperator(event.target.value)} value={operator}>
            {operators.map((one) => (
              <option key={one} value={one}>
                {words().operators[one as 'eq'] ?? one}
              </option>
            ))}
          </select>
        </label>
        <FilterValue
          {...{ catalog, filter, operator, value }}
          onValue={setValue}
          target={targetOf(catalog, resource, editing.name)}
        />
        <div className="row end">
          <Button className="button" onPress={onClose}>
            {words().cancel}
          </Button>
          <button className="button primary" type="submit">
            {words().apply}
          </button>
        </div>
      </form>
    </Box>
  )
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

function FilterValue({ filter, onValue, operator, target, value }: FilterValueProps): ReactNode {
  const options: readonly string[] | undefined =
    operator === 'null' || filter.type === 'boolean'
      ? ['true', 'false']
      : operator === 'in'
        ? undefined
        : filter.words?.map(String)
  if (options === undefined && target !== undefined && operator !== 'in')
    return (
      <Picker
        label={words().value}
        onPick={(id) => onValue(id ?? '')}
        source={listSource(target)}
        value={value === '' ? null : value}
      />
    )
  if (options === undefined)
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
  const textOf = (option: string): string =>
    option === 'true' ? words().yes : option === 'false' ? words().no : wordText(option)
  return (
    <label className="field">
      <span>{words().value}</span>
      <select onChange={(event) => onValue(event.target.value)} required value={value}>
        <option value="">{words().choose}</option>
        {options.map((option) => (
          <option key={option} value={option}>
            {textOf(option)}
          </option>
        ))}
      </select>
    </label>
  )
}
