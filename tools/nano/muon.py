"""Muon (Jordan et al. 2024): momentum whose matrix is made orthogonal before it is used."""
import torch


def orthogonal(matrices, rounds=5):
    """[n, a, b]: Newton-Schulz towards the nearest orthogonal matrix, in half precision."""
    x = matrices.bfloat16() if matrices.is_cuda else matrices
    x = x / (x.norm(dim=(1, 2), keepdim=True) + 1e-7)
    tall = x.shape[1] > x.shape[2]
    x = x.transpose(1, 2) if tall else x
    for _ in range(rounds):
        square = x @ x.transpose(1, 2)
        x = 3.4445 * x + (-4.7750 * square + 2.0315 * square @ square) @ x
    return x.transpose(1, 2) if tall else x


class Muon(torch.optim.Optimizer):
    """For matrices alone. The step is scaled so that AdamW's rates fit (Liu et al. 2025)."""

    def __init__(self, parameters, rate, first=0, momentum=0.95, weight_decay=0.0):
        super().__init__([dict(params=list(parameters), rate=rate, first=first)],
                         dict(lr=rate, momentum=momentum, weight_decay=weight_decay))

    @torch.no_grad()
    def step(self):
        for group in self.param_groups:
            by_shape = {}
            for p in group["params"]:
                if p.grad is not None:
                    by_shape.setdefault(p.shape, []).append(p)
            for shape, same in by_shape.items():
                moments = [self.state[p].setdefault("moment", torch.zeros_like(p)) for p in same]
                for p, moment in zip(same, moments):
                    moment.lerp_(p.grad, 1 - group["momentum"])
                looked = torch.stack([p.grad.lerp(m, group["momentum"]) for p, m in zip(same, moments)])
                steps = orthogonal(looked).to(looked.dtype) * 0.2 * max(shape) ** 0.5
                for p, change in zip(same, steps):
                    p.mul_(1 - group["lr"] * group["weight_decay"]).sub_(change, alpha=group["lr"])
