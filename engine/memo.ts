/** Memoization: a function remembers its result for each object, for as long as the object lives. */

interface Answers<Key, Answer> {
  get(key: Key): Answer | undefined
  has(key: Key): boolean
  set(key: Key, answer: Answer): unknown
}

/**
 * The same function with a memory. Of two arguments the first is an object, and the second anything. An answer that is an
 * object may be changed by who gets it, so that the memory also holds what happened to the argument.
 *
 *     const slugFields = memo((resource: Resource) => [...resource.fields.values()].filter(isSlug))
 */
export function memo<One extends object, Answer>(make: (one: One) => Answer): (one: One) => Answer
export function memo<One extends object, Two, Answer>(
  make: (one: One, two: Two) => Answer,
): (one: One, two: Two) => Answer
export function memo<One extends object, Two, Answer>(
  make: (one: One, two?: Two) => Answer,
): (one: One, two: Two) => Answer {
  if (make.length < 2) return remembering(new WeakMap<One, Answer>(), make)
  const about = remembering(new WeakMap<One, (two: Two) => Answer>(), (one) =>
    remembering(newAnswers<Two, Answer>(), (two) => make(one, two)),
  )
  return (one, two) => about(one)(two)
}

function remembering<Key, Answer>(answers: Answers<Key, Answer>, make: (key: Key) => Answer): (key: Key) => Answer {
  return (key) => {
    const known = answers.get(key)
    if (known !== undefined || answers.has(key)) return known as Answer
    const made = make(key)
    answers.set(key, made)
    return made
  }
}

/** Results for keys of any kind; those for an object end with it. */
function newAnswers<Key, Answer>(): Answers<Key, Answer> {
  const objects = new WeakMap<Key & object, Answer>()
  const others = new Map<Key, Answer>()
  const isObject = (key: Key): key is Key & object => typeof key === 'object' && key !== null
  return {
    get: (key) => (isObject(key) ? objects.get(key) : others.get(key)),
    has: (key) => (isObject(key) ? objects.has(key) : others.has(key)),
    set: (key, answer) => (isObject(key) ? objects.set(key, answer) : others.set(key, answer)),
  }
}

/**
 * Gives the list that was given before where it has the same objects in the same order, so that something can be
 * remembered of a list. Of the lists that begin with one object, the last is known.
 */
export function sameLists<T extends object>(): (list: readonly T[]) => readonly T[] {
  const none: readonly T[] = Object.freeze([])
  const lastWith = memo((_first: T): { list: readonly T[] } => ({ list: none }))
  return (list) => {
    const [first] = list
    if (first === undefined) return none
    const last = lastWith(first)
    const isSame = last.list.length === list.length && list.every((one, at) => one === last.list[at])
    if (!isSame) last.list = list
    return last.list
  }
}
