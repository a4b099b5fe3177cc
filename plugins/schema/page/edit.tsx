/** Editing the files: a form or the text of a file makes changes, and what they do is shown before anything is written. */
import { Button, Card, type Json, Row, Select, TextField, useAct, useRoute } from 'plinth/console'
import { type ReactNode, useEffect, useState } from 'react'
import { EditForm } from './edit-form.tsx'
import { Answered, Failure, useText } from './parts.tsx'
import { Outcome } from './proposal.tsx'
import type { Change, Diagnostic, Proposal, ToldFile, ToldFiles, ToldSchema } from './told.ts'

interface EditProps {
  readonly schema: ToldSchema
  readonly query: URLSearchParams
  /** Reads the schema again, after files were written. */
  readonly again: () => void
}

export function EditPage(props: EditProps): ReactNode {
  const text = useText()
  const answer = useRoute('schema.files')
  if (!answer.isOpen) return <p className="empty">{text.noEdit}</p>
  const written = (): void => {
    answer.again()
    props.again()
  }
  return (
    <Answered<ToldFiles> answer={answer}>
      {(files) => <Editing {...props} again={written} files={files} key={keyOf(files)} />}
    </Answered>
  )
}

/** The changes are for these files: others begin anew. */
function keyOf({ own }: ToldFiles): string {
  return own.map(({ hash }) => hash).join()
}

/** The file that a resource is written in: its place names it. */
function fileOf({ resources }: ToldSchema, name: string, { own }: ToldFiles): string {
  const [file] = /^.*\.ya?ml/.exec(resources[name]?.place ?? '') ?? []
  return own.some((one) => one.file === file) ? (file ?? '') : (own[0]?.file ?? '')
}

function Editing({ again, files, query, schema }: EditProps & { readonly files: ToldFiles }): ReactNode {
  const text = useText()
  const [name, setName] = useState(() => fileOf(schema, query.get('resource') ?? '', files))
  const [isForm, setForm] = useState(true)
  const [changes, setChanges] = useState<readonly Change[]>([])
  const { failure, isBusy, proposal } = useProposal(changes)
  const [line, setLine] = useState<number | undefined>(undefined)
  const file = files.own.find((one) => one.file === name)
  const resource = Object.entries(schema.resources).find(([, { place }]) => place.startsWith(`${name}:`))?.[0]
  const open = ({ file: found, from }: Diagnostic): void => {
    if (found === undefined || !files.own.some((one) => one.file === found)) return
    setName(found)
    setForm(false)
    setLine(from?.line)
  }
  return (
    <>
      <Card>
        <Row>
          <Select
            label={text.file}
            onChange={setName}
            options={files.own.map((one) => ({ value: one.file, label: one.file.split('/').slice(-2).join('/') }))}
            value={name}
          />
          <Button isDisabled={resource === undefined} isPressed={isForm} onPress={() => setForm(true)}>
            {text.form}
          </Button>
          <Button isPressed={!isForm} onPress={() => setForm(false)}>
            {text.text}
          </Button>
        </Row>
        {files.below.length === 0 ? null : <p className="soft">{text.base(files.below.length)}</p>}
        <Editor {...{ changes, file, isForm, line, resource, schema, setChanges }} />
      </Card>
      <Changes changes={changes} onChange={setChanges} />
      <Failure text={failure} />
      {proposal === undefined ? null : (
        <Outcome again={again} changes={changes} isBusy={isBusy} onOpen={open} proposal={proposal} />
      )}
    </>
  )
}

interface EditorProps {
  readonly changes: readonly Change[]
  readonly file: ToldFile | undefined
  readonly isForm: boolean
  readonly line: number | undefined
  readonly resource: string | undefined
  readonly schema: ToldSchema
  readonly setChanges: (next: (before: readonly Change[]) => readonly Change[]) => void
}

/** The form of a resource, or the text of a file. */
function Editor({ changes, file, isForm, line, resource, schema, setChanges }: EditorProps): ReactNode {
  if (file === undefined) return null
  if (isForm && resource !== undefined)
    return (
      <EditForm
        file={file}
        name={resource}
        onChange={(change) => setChanges((before) => [...before, change])}
        schema={schema}
      />
    )
  return (
    <TextOf
      changes={changes}
      file={file}
      key={`${file.file} ${line}`}
      line={line}
      onChange={(change) => setChanges((before) => [...before.filter((one) => one.file !== file.file), change])}
    />
  )
}

/** What changes do, asked a moment after the last one. */
function useProposal(changes: readonly Change[]) {
  const { failure, isBusy, run } = useAct()
  const [proposal, setProposal] = useState<Proposal | undefined>(undefined)
  // biome-ignore lint/correctness/useExhaustiveDependencies: the changes alone say when to ask
  useEffect(() => {
    if (changes.length === 0) {
      setProposal(undefined)
      return
    }
    const timer = setTimeout(
      () =>
        run(async (acts) => {
          setProposal(
            (await acts.call('schema.edits', { body: { edits: changes } as object as Json })) as object as Proposal,
          )
        }),
      400,
    )
    return () => clearTimeout(timer)
  }, [changes])
  return { failure, isBusy, proposal: changes.length === 0 ? undefined : proposal }
}

interface TextProps {
  readonly file: ToldFile
  readonly changes: readonly Change[]
  readonly line: number | undefined
  readonly onChange: (change: Change) => void
}

/** The text of a file; what is typed is a change of the whole file. */
function TextOf({ changes, file, line, onChange }: TextProps): ReactNode {
  const text = useText()
  const typed = changes.findLast((one) => one.file === file.file && one.path.length === 0)?.value
  const value = typeof typed === 'string' ? typed : file.text
  const [own, setOwn] = useState(value)
  return (
    <div className="schema-text" data-line={line}>
      <TextField
        label={`${text.text}: ${file.file.split('/').at(-1)}`}
        lines={Math.min(32, own.split('\n').length + 1)}
        onChange={(next) => {
          setOwn(next)
          onChange({ file: file.file, hash: file.hash, op: 'set', path: [], value: next })
        }}
        value={own}
      />
      {line === undefined ? null : (
        <p className="bad">
          {text.atLine(line)}: <code>{own.split('\n')[line - 1]}</code>
        </p>
      )}
    </div>
  )
}

interface ChangesProps {
  readonly changes: readonly Change[]
  readonly onChange: (changes: readonly Change[]) => void
}

/** The changes so far; each can be taken back. */
function Changes({ changes, onChange }: ChangesProps): ReactNode {
  const text = useText()
  return (
    <Card title={text.changes}>
      {changes.length === 0 ? <p className="soft">{text.noChanges}</p> : null}
      <ul className="schema-lines">
        {changes.map(({ file, op, path, value }, at) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: a change has no other name than its place
          <li key={at}>
            <Row>
              <span>
                {op} {file.split('/').at(-1)} {path.join('.')}{' '}
                {path.length === 0 || value === undefined ? '' : JSON.stringify(value)}
              </span>
              <Button onPress={() => onChange(changes.filter((_, other) => other !== at))}>{text.takeBack}</Button>
            </Row>
          </li>
        ))}
      </ul>
    </Card>
  )
}
