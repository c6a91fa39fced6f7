//! Draws the figures as SVG: latency and memory over age, both axes logarithmic. Text stays text. Pure.

use plotters::coord::combinators::BindKeyPoints;
use plotters::prelude::*;

use super::Failure;
use super::measure::Measured;

const SIZE: (u32, u32) = (960, 460);
/// Colours of axes and text, and of the grid.
const INK: RGBColor = RGBColor(60, 60, 60);
const GRID: RGBColor = RGBColor(225, 225, 225);

/// A line: its name, its colour, and its value at an age.
type Line = (&'static str, RGBColor, fn(&Measured) -> f64);

const BLUE: RGBColor = RGBColor(31, 119, 180);
const ORANGE: RGBColor = RGBColor(214, 101, 9);
const GREEN: RGBColor = RGBColor(44, 130, 44);
const RED: RGBColor = RGBColor(190, 40, 40);
const PURPLE: RGBColor = RGBColor(120, 80, 160);

const LATENCY: [Line; 5] = [
    ("process started to first answer", RED, |at| at.cold.process_ms),
    ("context for a prompt, p95", PURPLE, |at| at.warm.context.embedded_p95),
    ("question about the last days, p95", BLUE, |at| at.warm.recent.embedded_p95),
    ("about the first month, in words, p95", ORANGE, |at| at.warm.words.embedded_p95),
    ("about the first month, as a filter, p95", GREEN, |at| at.warm.period.embedded_p95),
];

const MEMORY: [Line; 4] = [
    ("on disk", INK, |at| at.disk.bytes as f64 / 1e6),
    ("resident, at most", RED, |at| at.warm.peak_mb as f64),
    ("resident, all asked", BLUE, |at| at.warm.resident_mb as f64),
    ("text of messages", GREEN, |at| at.text_bytes as f64 / 1e6),
];

/// Returns the chart of all ages as SVG.
pub(crate) fn svg(all: &[Measured]) -> Result<String, Failure> {
    let mut svg = String::new();
    {
        let page = SVGBackend::with_string(&mut svg, SIZE).into_drawing_area();
        page.fill(&WHITE)?;
        let (left, right) = page.split_horizontally(SIZE.0 / 2);
        panel(&left, "latency in ms, embedding included", &LATENCY, all)?;
        panel(&right, "memory in MB", &MEMORY, all)?;
        page.present()?;
    }
    Ok(svg)
}

fn panel<'a>(
    area: &DrawingArea<SVGBackend<'a>, plotters::coord::Shift>,
    title: &str,
    lines: &[Line],
    all: &[Measured],
) -> Result<(), Failure> {
    let ages: Vec<f64> = all.iter().map(|at| at.days as f64).collect();
    let figures = || lines.iter().flat_map(|(_, _, figure)| all.iter().map(figure));
    let (low, high) = ends(figures());
    let (young, old) = ends(ages.iter().copied());
    // Leaves room for the legend above the lines.
    let room = (high / low).powf(0.12 * lines.len() as f64).max(3.0);
    let mut chart = ChartBuilder::on(area)
        .margin(14)
        .caption(title, ("sans-serif", 20).into_font().color(&INK))
        .x_label_area_size(40)
        .y_label_area_size(56)
        .build_cartesian_2d(
            (young * 0.85..old * 1.18).log_scale().with_key_points(ages),
            (low * 0.8..high * room).log_scale().with_key_points(steps(low * 0.8, high * room)),
        )?;
    let words = ("sans-serif", 16).into_font().color(&INK);
    chart
        .configure_mesh()
        .disable_x_mesh()
        .bold_line_style(GRID)
        .light_line_style(TRANSPARENT)
        .axis_style(INK)
        .label_style(words.clone())
        .axis_desc_style(words.clone())
        .x_desc("age of the agent in days")
        .x_label_formatter(&|days| format!("{days}"))
        .y_label_formatter(&|figure| format!("{figure}"))
        .draw()?;
    for (name, colour, figure) in lines {
        let points: Vec<(f64, f64)> = all.iter().map(|at| (at.days as f64, figure(at))).collect();
        let style = colour.stroke_width(2);
        chart
            .draw_series(LineSeries::new(points.clone(), style))?
            .label(*name)
            .legend(move |(x, y)| PathElement::new([(x, y), (x + 16, y)], style));
        chart.draw_series(points.into_iter().map(|point| Circle::new(point, 3, colour.filled())))?;
    }
    chart
        .configure_series_labels()
        .position(SeriesLabelPosition::UpperLeft)
        .background_style(WHITE.mix(0.85))
        .label_font(words)
        .draw()?;
    Ok(())
}

/// Returns the minimum and maximum, both at least 0.1, because a logarithmic axis cannot show zero.
fn ends(figures: impl Iterator<Item = f64>) -> (f64, f64) {
    let (low, high) = figures.fold((f64::MAX, 0.1), |(low, high), figure| (low.min(figure), f64::max(high, figure)));
    (low.clamp(0.1, high), high)
}

/// Returns those of the numbers 0.01, 0.02, 0.05, 0.1, 0.2 … that lie between two limits.
fn steps(low: f64, high: f64) -> Vec<f64> {
    let powers = (-2..9).map(|power| 10_f64.powi(power));
    let steps = powers.flat_map(|power| [power, 2.0 * power, 5.0 * power]);
    steps.filter(|step| (low..=high).contains(step)).collect()
}

#[cfg(test)]
mod tests {
    use super::super::report::tests::measured;
    use super::*;

    #[test]
    fn every_line_has_a_legend_and_every_value_a_point() {
        let svg = svg(&[measured(30), measured(365), measured(3650)]).unwrap();
        for (name, _, _) in LATENCY.iter().chain(&MEMORY) {
            assert!(svg.contains(name), "{name}");
        }
        assert_eq!(svg.matches("<circle").count(), 3 * (LATENCY.len() + MEMORY.len()));
        assert!(svg.matches("<polyline").count() >= LATENCY.len() + MEMORY.len());
        assert!(["30", "365", "3650"].iter().all(|age| svg.contains(&format!("\n{age}\n"))), "{svg}");
    }

    #[test]
    fn steps_lie_within_the_limits() {
        assert_eq!(steps(0.9, 55.0), [1.0, 2.0, 5.0, 10.0, 20.0, 50.0]);
    }

    #[test]
    fn chart_of_a_single_age_is_drawn() {
        assert!(svg(&[measured(30)]).unwrap().contains("</svg>"));
    }
}
