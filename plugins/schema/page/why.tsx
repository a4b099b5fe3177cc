/** Why not?: a person, a request and a field, answered by the rules that decide. */
import { Button, Card, Row, Select, TextField, useAct, useCatalog } from 'plinth/console'
import { type FormEvent, type ReactNode, useEffect, useState } from 'react'
import { Failure, Place, TableCard, useText } from './parts.tsx'
import type { Words } from './words.ts'

interface Verdict {
  readonly clause: string
  readonly place: string
  readonly speaks: boolean
  readonly reaches?: boolean
}

/** What `meta.explain` says. */
interface Explanation {
  readonly policy?: string
  readonly says?: string
  readonly outcome?: string
  readonly verdicts?: readonly Verdict[]
  readonly rules?: readonly {
    readonly name: string
    readonly place: string
    readonly says: string
    readonly holds?: boolean
  }[]
  readonly moves?: readonly {
    readonly field: string
    readonly move: string
    readonly place: string
    readonly speaks: boolean
  }[]
  readonly field?: { readonly outcome?: string }
}

const METHODS: Readonly<Record<string, string>> = { GET: 'view', PATCH: 'update', POST: 'create', DELETE: 'delete' }

/** The question as it is typed, and its answer. */
function useQuestion(query: URLSearchParams) {
  const { prefix } = useCatalog()
  const [person, setPerson] = useState(query.get('as') ?? '')
  const [method, setMethod] = useState(query.get('method') ?? 'GET')
  const [path, setPath] = useState(query.get('path') ?? `${prefix}/`)
  const [field, setField] = useState('')
  const [told, setTold] = useState<Explanation | undefined>(undefined)
  const { failure, isBusy, run } = useAct()
  const ask = (): void =>
    run(async (acts) => {
      const wish = {
        ...(person === '' ? {} : { as: person }),
        ...(field === '' ? {} : { field }),
        ...(method === 'GET' ? {} : { method }),
      }
      setTold((await acts.explain(path, wish)) as object as Explanation)
    })
  // A page that sends people here asks at once.
  // biome-ignore lint/correctness/useExhaustiveDependencies: once, by what the address says
  useEffect(() => {
    if (query.get('path') !== null) ask()
  }, [])
  return { ask, failure, field, isBusy, method, path, person, setField, setMethod, setPath, setPerson, told }
}

export function WhyPage({ query }: { readonly query: URLSearchParams }): ReactNode {
  const text = useText()
  const { ask, failure, field, isBusy, method, path, person, setField, setMethod, setPath, setPerson, told } =
    useQuestion(query)
  const submit = (event: FormEvent): void => {
    event.preventDefault()
    ask()
  }
  return (
    <>
      <Card>
        <form className="form" onSubmit={submit}>
          <TextField label={`${text.person} (${text.personHelp})`} onChange={setPerson} value={person} />
          <Row>
            <Select
              label={text.method}
              onChange={setMethod}
              options={Object.entries(METHODS).map(([value, action]) => ({
                value,
                label: text.actions[action] ?? action,
              }))}
              value={method}
            />
            <TextField label={text.path} onChange={setPath} value={path} />
            <TextField label={text.field} onChange={setField} value={field} />
          </Row>
          <Row>
            <Button isDisabled={isBusy} kind="primary" type="submit">
              {text.ask}
            </Button>
          </Row>
          <Failure text={failure} />
        </form>
      </Card>
      {told === undefined ? null : <Told told={told} />}
    </>
  )
}

function Told({
  told: { field, moves = [], outcome, rules = [], says, verdicts = [] },
}: {
  readonly told: Explanation
}): ReactNode {
  const text = useText()
  return (
    <div className="schema-told" role="status">
      <Card title={text.outcome}>
        <p>{says ?? outcome ?? text.allowed}</p>
        {field?.outcome === undefined ? null : (
          <p>
            {text.answerOfField}: {field.outcome}
          </p>
        )}
      </Card>
      <TableCard
        head={[text.asWritten, text.speaks, text.reaches, text.place]}
        rows={verdicts.map(({ clause, place, reaches, speaks }) => ({
          key: place,
          cells: [
            <code key="clause">{clause}</code>,
            speaks ? text.yes : text.no,
            speaks ? yesNo(reaches, text) : '–',
            <Place key="place" place={place} />,
          ],
        }))}
        title={text.policies}
      />
      <TableCard
        head={[text.rule, text.says, text.holds, text.place]}
        rows={rules.map(({ holds, name, place, says: sentence }) => ({
          key: place,
          cells: [name, sentence, yesNo(holds, text), <Place key="place" place={place} />],
        }))}
        title={text.rules}
      />
      <TableCard
        head={[text.move, text.field, text.speaks, text.place]}
        rows={moves.map(({ field: name, move, place, speaks }) => ({
          key: place,
          cells: [move, name, speaks ? text.yes : text.no, <Place key="place" place={place} />],
        }))}
        title={text.move}
      />
    </div>
  )
}

function yesNo(value: boolean | undefined, text: Words): string {
  if (value === undefined) return text.unknown
  return value ? text.yes : text.no
}
