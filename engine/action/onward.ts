/** What `next()` gives a hook: a promise that knows whether anybody waits for it. */

/** Settles as `inner` does. Nobody who forgets it ends the process by a rejection that nobody handles. */
export class Onward extends Promise<undefined> {
  /** Whether it was awaited, returned or handed on. */
  heard = false

  static override get [Symbol.species](): PromiseConstructor {
    return Promise
  }

  static of(inner: Promise<void>): Onward {
    const onward = new Onward((resolve, reject) => {
      inner.then(() => resolve(undefined), reject)
    })
    // Marks a rejection as handled, long before anybody asks for the end.
    void onward.ended()
    return onward
  }

  /** Resolves when it has settled, however; nobody who asks for that has waited for it in the hook's place. */
  ended(): Promise<void> {
    return super.then(
      () => undefined,
      () => undefined,
    )
  }

  // biome-ignore lint/suspicious/noThenProperty: how `await` reaches a promise is what is looked for
  override then<R = undefined, E = never>(
    done?: ((value: undefined) => R | PromiseLike<R>) | null,
    failed?: ((reason: unknown) => E | PromiseLike<E>) | null,
  ): Promise<R | E> {
    this.heard = true
    return super.then(done, failed)
  }
}
