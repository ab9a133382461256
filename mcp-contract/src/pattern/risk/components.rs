//! Strongly connected components of a graph that is only given by its edges (Tarjan, without recursion).

/// The component of each node, numbered so that edges lead to the same number or a smaller one.
pub(super) struct Components {
    /// The component of each node; nodes that are not reached have none.
    pub(super) of: Vec<u32>,
    /// How many there are.
    pub(super) count: u32,
}

/// No component.
pub(super) const NONE: u32 = u32::MAX;

struct Frame {
    node: u32,
    edges: Vec<u32>,
    at: usize,
}

/// The components of what is reached from the roots. `edges` gives the nodes behind one, or ends the search.
pub(super) fn components<E>(
    nodes: usize,
    roots: impl Iterator<Item = u32>,
    mut edges: impl FnMut(u32) -> Result<Vec<u32>, E>,
) -> Result<Components, E> {
    let mut of = vec![NONE; nodes];
    let mut index = vec![NONE; nodes];
    let mut low = vec![0_u32; nodes];
    let (mut stack, mut frames) = (Vec::new(), Vec::<Frame>::new());
    let (mut next, mut count) = (0, 0);
    for root in roots {
        if index[root as usize] != NONE {
            continue;
        }
        frames.push(Frame { node: root, edges: edges(root)?, at: 0 });
        (index[root as usize], low[root as usize]) = (next, next);
        next += 1;
        stack.push(root);
        while let Some(frame) = frames.last_mut() {
            let node = frame.node as usize;
            if let Some(&to) = frame.edges.get(frame.at) {
                frame.at += 1;
                if index[to as usize] == NONE {
                    (index[to as usize], low[to as usize]) = (next, next);
                    next += 1;
                    stack.push(to);
                    frames.push(Frame { node: to, edges: edges(to)?, at: 0 });
                } else if of[to as usize] == NONE {
                    low[node] = low[node].min(index[to as usize]);
                }
                continue;
            }
            frames.pop();
            if let Some(parent) = frames.last() {
                low[parent.node as usize] = low[parent.node as usize].min(low[node]);
            }
            if low[node] == index[node] {
                while let Some(member) = stack.pop() {
                    of[member as usize] = count;
                    if member as usize == node {
                        break;
                    }
                }
                count += 1;
            }
        }
    }
    Ok(Components { of, count })
}
