"""Random values that the cluster keeps, as expressions."""

from __future__ import annotations

from dataclasses import dataclass

from rlinf_constructs.helm.expressions import Environment, Expression, Scope
from rlinf_constructs.helm.kinds import Kind


@dataclass(frozen=True, eq=True, kw_only=True)
class Generated(Expression):
    """A random value that is made at the first install and kept in a Secret from then on (base64, for `data`).

    Attributes:
        secret: name of the Secret that holds it.
        key: the key in the Secret.
        length: number of random characters.
    """

    secret: Expression
    key: str
    length: int = 48
    kind: Kind = Kind.STRING

    def template(self, scope: Scope) -> str:
        """The existing Secret's value, or a new one where there is none (`helm template` sees no cluster)."""
        namespace = scope.member("Release.Namespace")
        existing = f'lookup "v1" "Secret" {namespace} {self.secret.operand(scope)}'
        return f'dig "data" "{self.key}" (randAlphaNum {self.length} | b64enc) ({existing})'

    def evaluate(self, environment: Environment) -> str:
        """What the environment generates for the Secret of that name."""
        return environment.generate(self.secret.evaluate(environment), self.length)
