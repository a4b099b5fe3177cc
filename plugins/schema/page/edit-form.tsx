/** The form of a resource: its fields, relations and policies, each as one change of its file. */
import { Button, Row, Select, TextField } from 'plinth/console'
import { type FormEvent, type ReactNode, useState } from 'react'
import { useText } from './parts.tsx'
import type { Change, ToldFile, ToldSchema } from './told.ts'
import type { Words } from './words.ts'

interface EditFormProps {
  readonly name: string
  readonly schema: ToldSchema
  readonly file: ToldFile
  readonly onChange: (change: Change) => void
}

/** The types that a new field may have in the form; others are written as text. */
const TYPES = ['string', 'text', 'integer', 'decimal', 'boolean', 'date', 'timestamp', 'email', 'url', 'json']
const RELATIONS = ['belongs_to', 'has_many', 'many_to_many']
const POLICIES = ['view', 'create', 'update', 'delete']

export function EditForm(props: EditFormProps): ReactNode {
  return (
    <div className="schema-forms">
      <OwnParts {...props} />
      <NewField {...props} />
      <NewRelation {...props} />
      <NewClause {...props} />
    </div>
  )
}

function changeOf({ file, hash }: ToldFile, change: Omit<Change, 'file' | 'hash'>): Change {
  return { file, hash, ...change }
}

/** The fields and relations that this file itself has, to rename and to take out. */
function OwnParts({ file, name, onChange, schema }: EditFormProps): ReactNode {
  const text = useText()
  const resource = schema.resources[name]
  const parts = [
    ...(resource?.fields ?? []).map((field) => ({ section: 'fields', ...field })),
    ...(resource?.relations ?? []).map((relation) => ({ section: 'relations', ...relation })),
  ].filter(({ name: one, place, text: written }) => place.startsWith(`${file.file}:`) && written.startsWith(`${one}:`))
  const own = parts.filter(({ name: one, section }) => section === 'relations' || !isKeyOf(one, parts))
  const [chosen, setChosen] = useState('')
  const [next, setNext] = useState('')
  const part = own.find(({ name: one, section }) => `${section} ${one}` === chosen) ?? own[0]
  if (part === undefined) return null
  const path = [part.section, part.name]
  const rename = (event: FormEvent): void => {
    event.preventDefault()
    if (next === '') return
    onChange(changeOf(file, { op: 'rename', path, value: next }))
    onChange(changeOf(file, { op: 'set', path: [part.section, next, 'renamed_from'], value: part.name }))
    setNext('')
  }
  return (
    <form className="form" onSubmit={rename}>
      <Select
        label={`${text.fields}, ${text.relations}`}
        onChange={setChosen}
        options={own.map(({ label, name: one, section }) => ({
          value: `${section} ${one}`,
          label: `${one} (${label})`,
        }))}
        value={`${part.section} ${part.name}`}
      />
      <code>{part.text}</code>
      <TextField label={text.newName} onChange={setNext} value={next} />
      <Row>
        <Button isDisabled={next === ''} type="submit">
          {text.rename(part.name)}
        </Button>
        <Button kind="danger" onPress={() => onChange(changeOf(file, { op: 'remove', path }))}>
          {text.takeOut(part.name)}
        </Button>
      </Row>
    </form>
  )
}

/** Whether a field is the key of a relation, which is written as the relation. */
function isKeyOf(name: string, parts: readonly { readonly section: string; readonly name: string }[]): boolean {
  return parts.some(({ name: one, section }) => section === 'relations' && name === `${one}_id`)
}

function NewField({ file, onChange }: EditFormProps): ReactNode {
  const text = useText()
  const [name, setName] = useState('')
  const [type, setType] = useState('string')
  const [isRequired, setRequired] = useState(false)
  const [isUnique, setUnique] = useState(false)
  const submit = (event: FormEvent): void => {
    event.preventDefault()
    const value = { type, ...(isRequired ? { required: true } : {}), ...(isUnique ? { unique: true } : {}) }
    onChange(changeOf(file, { op: 'add', path: ['fields', name], value }))
    setName('')
  }
  return (
    <form className="form" onSubmit={submit}>
      <h2>{text.addField}</h2>
      <TextField label={text.name} onChange={setName} value={name} />
      <Select
        label={text.type}
        onChange={setType}
        options={TYPES.map((value) => ({ value, label: value }))}
        value={type}
      />
      <Check label={text.required} onChange={setRequired} value={isRequired} />
      <Check label={text.unique} onChange={setUnique} value={isUnique} />
      <Row>
        <Button isDisabled={!isName(name)} type="submit">
          {text.addField}
        </Button>
      </Row>
    </form>
  )
}

function isName(name: string): boolean {
  return /^[a-z][A-Za-z0-9_]*$/.test(name)
}

interface CheckProps {
  readonly label: string
  readonly value: boolean
  readonly onChange: (value: boolean) => void
}

function Check({ label, onChange, value }: CheckProps): ReactNode {
  return (
    <label className="check">
      <input checked={value} onChange={(event) => onChange(event.target.checked)} type="checkbox" />
      {label}
    </label>
  )
}

function NewRelation({ file, onChange, schema }: EditFormProps): ReactNode {
  const text = useText()
  const [name, setName] = useState('')
  const [kind, setKind] = useState('belongs_to')
  const [target, setTarget] = useState(Object.keys(schema.resources)[0] ?? '')
  const submit = (event: FormEvent): void => {
    event.preventDefault()
    onChange(changeOf(file, { op: 'add', path: ['relations', name], value: { [kind]: target } }))
    setName('')
  }
  return (
    <form className="form" onSubmit={submit}>
      <h2>{text.addRelation}</h2>
      <TextField label={text.name} onChange={setName} value={name} />
      <Select
        label={text.kind}
        onChange={setKind}
        options={RELATIONS.map((value) => ({ value, label: value }))}
        value={kind}
      />
      <Select
        label={text.target}
        onChange={setTarget}
        options={Object.entries(schema.resources).map(([value, { label }]) => ({ value, label: label.many }))}
        value={target}
      />
      <Row>
        <Button isDisabled={!isName(name)} type="submit">
          {text.addRelation}
        </Button>
      </Row>
    </form>
  )
}

type Who = keyof Words['kindsOfWho']

function NewClause({ file, onChange, schema }: EditFormProps): ReactNode {
  const text = useText()
  const [policy, setPolicy] = useState('view')
  const [kind, setKind] = useState<Who>('role')
  const names = kind === 'role' ? [...(schema.roles ?? [])] : Object.keys(schema.permissions)
  const [name, setName] = useState('')
  const chosen = names.includes(name) ? name : (names[0] ?? '')
  const submit = (event: FormEvent): void => {
    event.preventDefault()
    const value = kind === 'role' || kind === 'permission' ? { [kind]: chosen } : { who: kind }
    onChange(changeOf(file, { op: 'add', path: ['policies', policy], value }))
  }
  return (
    <form className="form" onSubmit={submit}>
      <h2>{text.addClause}</h2>
      <Select
        label={text.policy}
        onChange={setPolicy}
        options={POLICIES.map((value) => ({ value, label: text.actions[value] ?? value }))}
        value={policy}
      />
      <Select
        label={text.whoKind}
        onChange={(value) => setKind(value as Who)}
        options={Object.entries(text.kindsOfWho).map(([value, label]) => ({ value, label }))}
        value={kind}
      />
      {kind === 'role' || kind === 'permission' ? (
        <Select
          label={text.whoValue}
          onChange={setName}
          options={names.map((value) => ({ value, label: value }))}
          value={chosen}
        />
      ) : null}
      <Row>
        <Button type="submit">{text.addClause}</Button>
      </Row>
    </form>
  )
}
